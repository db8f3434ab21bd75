// Compilation of a plan: the passes, and then arenas, queues, transfers and the report.
#include "graph/plan.hpp"

#include <algorithm>
#include <array>

#include "graph/executor.hpp"
#include "graph/index.hpp"

namespace weft::graph {
namespace {

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

Status check_backends(std::span<const std::shared_ptr<Backend>> backends) {
  if (backends.empty()) return fail(ErrorCode::invalid_argument, "a plan needs at least one backend");
  for (std::size_t i = 0; i < backends.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (backends[i]->name() != backends[j]->name()) continue;
      return fail(ErrorCode::invalid_argument, "backend {} is given twice", backends[i]->name());
    }
  }
  return {};
}

/// Symbols of the values that a step brings: what its sizes follow.
std::vector<Symbol> step_symbols(const Graph& graph) {
  std::vector<Symbol> symbols;
  for (const auto* list : {&graph.inputs, &graph.states}) {
    for (const ValueId id : *list) {
      for (const Dim& d : graph.value(id).desc.shape.dims()) {
        if (d.symbol != Symbol::none && std::ranges::find(symbols, d.symbol) == symbols.end()) {
          symbols.push_back(d.symbol);
        }
      }
    }
  }
  return symbols;
}

}  // namespace

Result<std::unique_ptr<Plan>> Plan::compile(const Graph& graph, const PlanOptions& options,
                                            std::span<const std::shared_ptr<Backend>> backends) {
  if (Status ok = check_backends(backends); !ok) return error_of(ok);
  Draft draft{graph, options, backends, {}, {}, {}, {}, {}};
  if (Status ok = run_passes(draft); !ok) return error_of(ok);
  return CompiledPlan::make(std::move(draft));
}

Result<std::unique_ptr<Plan>> CompiledPlan::make(Draft draft) {
  std::unique_ptr<CompiledPlan> plan(new CompiledPlan);
  plan->backends_.assign(draft.backends.begin(), draft.backends.end());
  plan->limits_ = draft.options.limits;
  plan->symbols_ = step_symbols(draft.graph);
  for (const ValueId id : draft.graph.inputs) {
    plan->inputs_.push_back(draft.graph.value(id).desc);
    plan->input_names_.push_back(draft.graph.value(id).name);
  }
  if (Status ok = plan->allocate_arenas(draft); !ok) return error_of(ok);
  plan->keep_transfers(draft);
  plan->find_state_homes(draft);
  plan->write_report(draft);
  plan->keep_segments(draft);
  if (Status ok = plan->record_times(false); !ok) return error_of(ok);
  return plan;
}

Status CompiledPlan::allocate_arenas(const Draft& draft) {
  for (std::size_t d = 0; d < draft.arenas.size(); ++d) {
    const Arena& arena = draft.arenas[d];
    arenas_.push_back(nullptr);
    const auto user = std::ranges::find(draft.schedule.domain_of_backend, d) - draft.schedule.domain_of_backend.begin();
    Backend& backend = *backends_[static_cast<std::size_t>(user)];
    if (arena.bytes == 0) continue;
    auto buffer = backend.allocate(arena.bytes, MemoryKind::arena);
    if (!buffer) {
      return error_of(buffer, fmt::format("{}: arena of {} bytes for {} tokens a step (-ub)", backend.name(),
                                          arena.bytes, limits_.tokens));
    }
    arenas_.back() = std::move(*buffer);
  }
  return {};
}

void CompiledPlan::keep_transfers(const Draft& draft) {
  const auto place_of = [&](ValueId value, std::size_t backend) {
    const std::size_t domain = draft.schedule.domain_of_backend[backend];
    const Storage& place = draft.storage[at(value)];
    const std::size_t offset = draft.arenas[domain].offsets[at(place.base)] + place.byte_offset;
    return BufferView{arenas_[domain].get(), offset, draft.graph.value(value).desc.bytes()};
  };
  const auto transfer = [&](ValueId id, std::size_t number, std::size_t backend) {
    const Value& value = draft.graph.value(id);
    return Transfer{number, backend, place_of(id, backend), value.desc, value.name};
  };
  for (const UploadStep& u : draft.schedule.uploads) {
    uploads_.push_back(transfer(draft.graph.inputs[u.input], u.input, u.backend));
  }
  for (const DownloadStep& d : draft.schedule.downloads) {
    downloads_.push_back(transfer(draft.graph.outputs[d.output], d.output, d.backend));
  }
  std::size_t largest = 0;
  for (const PlannedSegment& planned : draft.schedule.segments) {
    RunSegment run;
    for (const CopyStep& c : planned.copies) {
      const TensorDesc& desc = draft.graph.value(c.base).desc;
      run.copies.push_back(
          {c.from_backend, c.to_backend, place_of(c.base, c.from_backend), place_of(c.base, c.to_backend), desc});
      largest = std::max(largest, desc.bytes());
    }
    segments_.push_back(std::move(run));
  }
  staging_.resize(largest);
}

void CompiledPlan::keep_segments(Draft& draft) {
  std::size_t first_node = 0;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    RunSegment& run = segments_[s];
    CompiledSegment& compiled = draft.segments[s];
    run.backend = compiled.backend;
    run.executable = std::move(compiled.executable);
    run.finish = draft.schedule.segments[s].finish;
    run.states = std::move(compiled.states);
    run.bindings.resize(run.states.size() + 1);
    const std::size_t domain = draft.schedule.domain_of_backend[run.backend];
    run.bindings[0] = {arenas_[domain].get(), 0, draft.arenas[domain].bytes};
    run.first_node = first_node;
    first_node += draft.schedule.segments[s].nodes.size();
  }
}

void CompiledPlan::find_state_homes(const Draft& draft) {
  // A state that nothing uses may lie anywhere.
  state_homes_.assign(draft.graph.states.size(), 0);
  const auto users = state_users(draft.graph, draft.storage);
  for (std::size_t s = 0; s < users.size(); ++s) {
    if (users[s].empty()) continue;
    state_homes_[s] = *draft.placement.nodes[static_cast<std::size_t>(users[s].front())].backend;
  }
}

void CompiledPlan::write_report(const Draft& draft) {
  for (std::size_t s = 0; s < draft.schedule.segments.size(); ++s) {
    const PlannedSegment& planned = draft.schedule.segments[s];
    const std::string backend(backends_[planned.backend]->name());
    for (const NodeId id : planned.nodes) {
      const Node& node = draft.graph.node(id);
      const NodePlacement& placed = draft.placement.nodes[static_cast<std::size_t>(id)];
      report_.nodes.push_back({node.name, std::string(name_of(node.op)), node.layer, backend, placed.rule,
                               placed.selection, placed.refusals, s,
                               cost(node.op, descs_of(draft.graph, node.inputs))});
    }
    report_.segments.push_back({backend, planned.nodes.size(), draft.segments[s].executable->description()});
    report_.copies += planned.copies.size();
  }
  for (const Arena& arena : draft.arenas) {
    report_.arena_bytes += arena.bytes;
    report_.unshared_arena_bytes += arena.unshared_bytes;
  }
}

}  // namespace weft::graph
