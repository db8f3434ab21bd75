// What a legal graph is, as a check that runs after each pass.
#pragma once

#include "core/result.hpp"
#include "graph/ir.hpp"

namespace weft::graph {

/// Every id is in range and agrees with its other side (a value's producer, kinds of inputs and states); each value is
/// made once and before its use; each node has the operands of its ports, shapes are what its op infers, and names are
/// unique; what a node updates in place is read by no one else, so that the order of reads and writes is the order of
/// values; outputs are dense and computed. Errors are `internal` and name the node or value.
[[nodiscard]] Status verify(const Graph& graph);

}  // namespace weft::graph
