// The list of passes, and their running.
#include "graph/draft.hpp"

#include <array>

#include "graph/canonicalise.hpp"
#include "graph/fuse.hpp"
#include "graph/rewrites.hpp"
#include "graph/specialise.hpp"
#include "graph/verify.hpp"

namespace weft::graph {
namespace {

Status specialise_pass(Draft& draft) {
  auto graph = specialise(std::move(draft.graph), draft.options.limits);
  if (!graph) return error_of(graph);
  draft.graph = std::move(*graph);
  return {};
}

Status canonicalise_pass(Draft& draft) {
  draft.graph = canonicalise(std::move(draft.graph));
  return {};
}

Result<Placement> placed(const Draft& draft) {
  const auto rules = load_placement_rules(draft.options.placement_rules, draft.backends);
  if (!rules) return error_of(rules);
  return place(draft.graph, draft.options, *rules, draft.backends);
}

Status fuse_pass(Draft& draft) {
  if (!draft.options.fuse) return {};
  const auto placement = placed(draft);
  if (!placement) return error_of(placement);
  const CanRun can_run = ask_backends(draft.graph, *placement, draft.backends);
  draft.graph = fuse(std::move(draft.graph), all_rewrites(), {draft.options.phase, draft.options.precision}, can_run);
  return {};
}

Status place_pass(Draft& draft) {
  auto placement = placed(draft);
  if (!placement) return error_of(placement);
  draft.placement = std::move(*placement);
  return {};
}

Status segment_pass(Draft& draft) {
  auto storage = resolve_storage(draft.graph);
  if (!storage) return error_of(storage);
  draft.storage = std::move(*storage);
  auto schedule = make_schedule(draft.graph, draft.placement, draft.storage, draft.backends);
  if (!schedule) return error_of(schedule);
  draft.schedule = std::move(*schedule);
  return {};
}

Status plan_memory_pass(Draft& draft) {
  draft.arenas = plan_arenas(draft.graph, draft.storage, draft.schedule);
  return {};
}

Status compile_pass(Draft& draft) {
  SegmentBuilder builder({draft.graph, draft.storage, draft.placement, draft.schedule, draft.arenas}, draft.options);
  for (const PlannedSegment& planned : draft.schedule.segments) {
    BoundSegment bound = builder.build(planned);
    Backend& backend = *draft.backends[planned.backend];
    auto executable = backend.compile(bound.segment);
    if (!executable) {
      return error_of(executable, fmt::format("{}: segment from node {} on", backend.name(),
                                              draft.graph.node(planned.nodes.front()).name));
    }
    draft.segments.push_back({planned.backend, std::move(bound.states), std::move(*executable)});
  }
  return {};
}

constexpr std::array all_passes = {
    Pass{"specialise", specialise_pass}, Pass{"canonicalise", canonicalise_pass}, Pass{"fuse", fuse_pass},
    Pass{"place", place_pass},           Pass{"segment", segment_pass},           Pass{"plan_memory", plan_memory_pass},
    Pass{"compile", compile_pass},
};

}  // namespace

std::span<const Pass> passes() { return all_passes; }

Status run_passes(Draft& draft) {
  for (const Pass& pass : passes()) {
    if (Status ok = pass.run(draft); !ok) return ok;
    if (Status ok = verify(draft.graph); !ok) return error_of(ok, fmt::format("after pass {}", pass.name));
    if (draft.options.observer != nullptr) draft.options.observer->after(pass.name, draft.graph);
  }
  return {};
}

}  // namespace weft::graph
