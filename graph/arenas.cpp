// Lifetimes of base values in each domain, in steps: 0 is the upload, then one a node, then the download.
#include "graph/arenas.hpp"

#include <algorithm>
#include <map>

namespace weft::graph {
namespace {

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

/// Ranges of one domain, by value; ordered, so that plans are the same every time.
using Lives = std::map<ValueId, LiveRange>;

class LifeTimes {
 public:
  LifeTimes(const Graph& graph, const std::vector<Storage>& storage, const Schedule& schedule)
      : graph_(graph), storage_(storage), schedule_(schedule), lives_(schedule.domains.size()) {}

  std::vector<Lives> run() {
    for (const UploadStep& upload : schedule_.uploads) begin(graph_.inputs[upload.input], upload.backend, 0);
    std::size_t step = 1;
    for (const PlannedSegment& segment : schedule_.segments) {
      for (const CopyStep& copy : segment.copies) {
        use(copy.base, copy.from_backend, step);
        begin(copy.base, copy.to_backend, step);
      }
      for (const NodeId id : segment.nodes) run_node(graph_.node(id), segment.backend, step++);
    }
    for (const DownloadStep& download : schedule_.downloads) {
      use(storage_[at(graph_.outputs[download.output])].base, download.backend, step);
    }
    return std::move(lives_);
  }

 private:
  Lives& lives(std::size_t backend) { return lives_[schedule_.domain_of_backend[backend]]; }

  void begin(ValueId base, std::size_t backend, std::size_t step) {
    lives(backend).try_emplace(base, LiveRange{graph_.value(base).desc.bytes(), step, step});
  }

  void use(ValueId base, std::size_t backend, std::size_t step) {
    const auto life = lives(backend).find(base);
    if (life != lives(backend).end()) life->second.last = std::max(life->second.last, step);
  }

  void run_node(const Node& node, std::size_t backend, std::size_t step) {
    for (const ValueId out : node.outputs) {
      if (storage_[at(out)].base == out) begin(out, backend, step);
    }
    for (const ValueId in : node.inputs) {
      if (in != absent_value) use(storage_[at(in)].base, backend, step);
    }
  }

  const Graph& graph_;
  const std::vector<Storage>& storage_;
  const Schedule& schedule_;
  std::vector<Lives> lives_;
};

}  // namespace

std::vector<Arena> plan_arenas(const Graph& graph, const std::vector<Storage>& storage, const Schedule& schedule) {
  std::vector<Arena> arenas;
  for (const Lives& lives : LifeTimes(graph, storage, schedule).run()) {
    std::vector<LiveRange> ranges;
    for (const auto& [value, range] : lives) ranges.push_back(range);
    const MemoryPlan plan = plan_memory(ranges);
    Arena arena{std::vector<std::size_t>(graph.values.size(), not_in_arena), plan.bytes, plan.unshared_bytes};
    std::size_t i = 0;
    for (const auto& [value, range] : lives) arena.offsets[at(value)] = plan.offsets[i++];
    arenas.push_back(std::move(arena));
  }
  return arenas;
}

}  // namespace weft::graph
