// The fusion pass: every rewrite of the list, where the backend that runs the parts runs the whole.
#pragma once

#include <functional>

#include "graph/placement.hpp"
#include "graph/rewrite.hpp"

namespace weft::graph {

/// Applies all rewrites in order. Each node's backend is taken from its placement alone, before fusion.
[[nodiscard]] Graph fuse(Graph graph, std::span<const Rewrite> rewrites, const CallContext& context,
                         const CanRun& can_run);

/// Asks placement: the parts all lie on one backend, and it selects the call. `placement` is of the graph before
/// fusion.
[[nodiscard]] CanRun ask_backends(const Graph& graph, const Placement& placement,
                                  std::span<const std::shared_ptr<Backend>> backends);

}  // namespace weft::graph
