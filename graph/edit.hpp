// Small changes to a graph that several passes share.
#pragma once

#include <span>
#include <vector>

#include "graph/ir.hpp"

namespace weft::graph {

/// Sets each computed value's producer from the nodes' outputs.
void renumber_producers(Graph& graph);

/// Makes every reader of value v, and the graph's outputs, read `target[v]` instead.
void redirect(Graph& graph, std::span<const ValueId> target);

/// Drops nodes whose results nothing uses and values that nothing names. Inputs and states stay, used or not: steps
/// bring them by number. A write to a state counts as used.
[[nodiscard]] Graph drop_unused(Graph graph);

}  // namespace weft::graph
