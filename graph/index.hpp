// Who makes and who uses each value of a graph: what passes look up instead of searching.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph/ir.hpp"

namespace weft::graph {

/// A snapshot: build it anew after the graph has changed. Keeps a reference to the graph.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);
  [[nodiscard]] const Graph& graph() const { return *graph_; }
  /// no_node for inputs, constants and states.
  [[nodiscard]] NodeId producer(ValueId value) const { return producers_[static_cast<std::size_t>(value)]; }
  /// Nodes that read the value, in order; a node that reads it twice comes twice.
  [[nodiscard]] std::span<const NodeId> users(ValueId value) const {
    const std::size_t v = static_cast<std::size_t>(value);
    return {users_.data() + starts_[v], starts_[v + 1] - starts_[v]};
  }
  [[nodiscard]] bool is_output(ValueId value) const { return outputs_[static_cast<std::size_t>(value)]; }

 private:
  const Graph* graph_;
  std::vector<NodeId> producers_;
  std::vector<std::size_t> starts_;  // of each value's users, and the end
  std::vector<NodeId> users_;
  std::vector<bool> outputs_;
};

/// Descriptors of operands; absent ones stay absent.
[[nodiscard]] TensorDescs descs_of(const Graph& graph, std::span<const ValueId> values);

}  // namespace weft::graph
