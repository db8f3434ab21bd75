// Where each value lies: views and in-place results are traced back to the value whose memory they share.
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.hpp"
#include "graph/ir.hpp"

namespace weft::graph {

struct Storage {
  ValueId base = absent_value;  ///< an input, a constant, a state, or a computed value with memory of its own
  std::size_t byte_offset = 0;  ///< of the value's first element in its base
};

/// One entry a value. A value that is its own base has offset 0.
[[nodiscard]] Result<std::vector<Storage>> resolve_storage(const Graph& graph);

/// For each state (by its position in Graph::states), the nodes that read or update it, in order.
[[nodiscard]] std::vector<std::vector<NodeId>> state_users(const Graph& graph, const std::vector<Storage>& storage);

}  // namespace weft::graph
