// One walk over the nodes cuts segments and notes, for each value, in which memories it is by then.
#include "graph/schedule.hpp"

#include <algorithm>

namespace weft::graph {
namespace {

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

class Scheduler {
 public:
  Scheduler(const Graph& graph, const Placement& placement, const std::vector<Storage>& storage,
            std::span<const std::shared_ptr<Backend>> backends)
      : graph_(graph), placement_(placement), storage_(storage), maker_(graph.values.size(), 0) {
    for (const auto& backend : backends) {
      const std::string& domain = backend->device().memory_domain;
      auto known = std::ranges::find(schedule_.domains, domain);
      if (known == schedule_.domains.end()) known = schedule_.domains.insert(known, domain);
      schedule_.domain_of_backend.push_back(static_cast<std::size_t>(known - schedule_.domains.begin()));
    }
    present_.assign(graph.values.size(), std::vector<bool>(schedule_.domains.size(), false));
    busy_.assign(backends.size(), false);
  }

  Result<Schedule> run() {
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!placement_.nodes[n].backend) continue;
      if (Status ok = add_node(static_cast<NodeId>(n), *placement_.nodes[n].backend); !ok) return error_of(ok);
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (Status ok = add_download(i); !ok) return error_of(ok);
    }
    wait_between_queues();
    return std::move(schedule_);
  }

 private:
  std::size_t domain(std::size_t backend) const { return schedule_.domain_of_backend[backend]; }

  Status add_node(NodeId id, std::size_t backend) {
    const Node& node = graph_.node(id);
    for (const Alias& alias : aliases(node.op)) {
      if (graph_.value(storage_[at(node.inputs[alias.input])].base).kind != ValueKind::state) {
        return fail(ErrorCode::internal, "node {} updates {} in place, which is no state", node.name,
                    graph_.value(node.inputs[alias.input]).name);
      }
    }
    if (schedule_.segments.empty() || schedule_.segments.back().backend != backend) {
      schedule_.segments.push_back({backend, {}, {}, {}});
    }
    for (const ValueId in : node.inputs) {
      if (in == absent_value) continue;
      if (Status ok = bring(storage_[at(in)].base, backend); !ok)
        return error_of(ok, fmt::format("node {}", node.name));
    }
    schedule_.segments.back().nodes.push_back(id);
    for (const ValueId out : node.outputs) {
      if (storage_[at(out)].base != out) continue;
      maker_[at(out)] = backend;
      present_[at(out)][domain(backend)] = true;
    }
    return {};
  }

  /// Makes sure that the value is in the backend's memory when the current segment starts.
  Status bring(ValueId base, std::size_t backend) {
    if (present_[at(base)][domain(backend)]) return {};
    switch (graph_.value(base).kind) {
      case ValueKind::constant: break;  // the backend gets its bytes when it compiles
      case ValueKind::state: {
        auto& homes = present_[at(base)];
        if (std::ranges::find(homes, true) != homes.end()) {
          return fail(ErrorCode::internal, "{} would lie in two memories", graph_.value(base).name);
        }
        break;
      }
      case ValueKind::input: {
        const auto input = std::ranges::find(graph_.inputs, base);
        schedule_.uploads.push_back({static_cast<std::size_t>(input - graph_.inputs.begin()), backend});
        maker_[at(base)] = backend;
        break;
      }
      case ValueKind::computed: schedule_.segments.back().copies.push_back({base, maker_[at(base)], backend}); break;
    }
    present_[at(base)][domain(backend)] = true;
    return {};
  }

  Status add_download(std::size_t output) {
    const ValueId base = storage_[at(graph_.outputs[output])].base;
    const Value& value = graph_.value(base);
    if (value.kind == ValueKind::constant) {
      return fail(ErrorCode::unsupported, "output {} is a view of the constant {}; nothing computes it",
                  graph_.value(graph_.outputs[output]).name, value.name);
    }
    if (value.kind == ValueKind::input && std::ranges::find(present_[at(base)], true) == present_[at(base)].end()) {
      if (Status ok = bring(base, 0); !ok) return ok;
    }
    schedule_.downloads.push_back({output, maker_[at(base)]});
    return {};
  }

  /// A queue is in order with itself only. Backends of one memory share an arena, whose bytes are reused, so a segment
  /// waits for every other queue that has worked in that memory since it was last waited for.
  void wait_between_queues() {
    for (const UploadStep& upload : schedule_.uploads) busy_[upload.backend] = true;
    for (PlannedSegment& segment : schedule_.segments) {
      for (std::size_t other = 0; other < busy_.size(); ++other) {
        if (other == segment.backend || !busy_[other] || domain(other) != domain(segment.backend)) continue;
        segment.finish.push_back(other);
        busy_[other] = false;
      }
      busy_[segment.backend] = true;
    }
  }

  const Graph& graph_;
  const Placement& placement_;
  const std::vector<Storage>& storage_;
  Schedule schedule_;
  std::vector<std::size_t> maker_;          // backend of each base: who made it or uploaded it
  std::vector<std::vector<bool>> present_;  // of each base, in each domain
  std::vector<bool> busy_;                  // queue of each backend
};

}  // namespace

Result<Schedule> make_schedule(const Graph& graph, const Placement& placement, const std::vector<Storage>& storage,
                               std::span<const std::shared_ptr<Backend>> backends) {
  return Scheduler(graph, placement, storage, backends).run();
}

}  // namespace weft::graph
