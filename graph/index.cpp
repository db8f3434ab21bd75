// Building of the index: users are counted first, then filled in, so that they lie in one array.
#include "graph/index.hpp"

namespace weft::graph {

GraphIndex::GraphIndex(const Graph& graph)
    : graph_(&graph),
      producers_(graph.values.size(), no_node),
      starts_(graph.values.size() + 1, 0),
      outputs_(graph.values.size(), false) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId out : graph.nodes[n].outputs) producers_[static_cast<std::size_t>(out)] = static_cast<NodeId>(n);
    for (const ValueId in : graph.nodes[n].inputs) {
      if (in != absent_value) ++starts_[static_cast<std::size_t>(in) + 1];
    }
  }
  for (std::size_t v = 1; v < starts_.size(); ++v) starts_[v] += starts_[v - 1];
  users_.resize(starts_.back());
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId in : graph.nodes[n].inputs) {
      if (in != absent_value) users_[next[static_cast<std::size_t>(in)]++] = static_cast<NodeId>(n);
    }
  }
  for (const ValueId out : graph.outputs) outputs_[static_cast<std::size_t>(out)] = true;
}

TensorDescs descs_of(const Graph& graph, std::span<const ValueId> values) {
  TensorDescs descs;
  descs.reserve(values.size());
  for (const ValueId v : values) descs.push_back(v == absent_value ? TensorDesc::absent() : graph.value(v).desc);
  return descs;
}

}  // namespace weft::graph
