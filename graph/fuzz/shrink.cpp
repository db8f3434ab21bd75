// Greedy shrinking: cuts from the end (another output), then from the start (a value becomes an input), and drops
// writes to states that nothing reads.
#include <algorithm>

#include "graph/edit.hpp"
#include "graph/fuzz/agreement.hpp"
#include "graph/verify.hpp"

namespace weft::graph::fuzz {
namespace {

Graph with_output(Graph graph, ValueId value) {
  graph.outputs = {value};
  return drop_unused(std::move(graph));
}

/// The node that makes the value goes; the value is brought by the step instead.
Graph with_input(Graph graph, NodeId node) {
  const ValueId made = graph.node(node).outputs.front();
  Value& value = graph.values[static_cast<std::size_t>(made)];
  value.kind = ValueKind::input;
  value.producer = no_node;
  graph.inputs.push_back(made);
  graph.nodes.erase(graph.nodes.begin() + node);
  renumber_producers(graph);
  return drop_unused(std::move(graph));
}

/// A write to a state keeps its operands alive; without readers of the state it goes.
Graph without_node(Graph graph, NodeId node) {
  graph.nodes.erase(graph.nodes.begin() + node);
  renumber_producers(graph);
  return drop_unused(std::move(graph));
}

bool is_read(const Graph& graph, ValueId value) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
  });
}

/// Graphs without node n, or without those before or after it.
std::vector<Graph> cuts_at(const Graph& graph, std::size_t n) {
  const Node& node = graph.nodes[n];
  if (node.outputs.size() != 1) return {};
  const ValueId made = node.outputs.front();
  const DType type = graph.value(made).desc.dtype;
  std::vector<Graph> smaller;
  if (type == DType::state && !is_read(graph, made)) smaller.push_back(without_node(graph, static_cast<NodeId>(n)));
  if (type != DType::f32) return smaller;
  if (!is_view(node.op)) smaller.push_back(with_output(graph, made));  // a graph's outputs are dense and computed
  smaller.push_back(with_input(graph, static_cast<NodeId>(n)));
  return smaller;
}

/// One smaller graph that fails, put in the place of `graph`.
bool cut(Graph& graph, const std::function<bool(const Graph&)>& fails) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (Graph& smaller : cuts_at(graph, n)) {
      if (smaller.nodes.size() >= graph.nodes.size() || !verify(smaller) || !fails(smaller)) continue;
      graph = std::move(smaller);
      return true;
    }
  }
  return false;
}

}  // namespace

Graph shrink(Graph graph, const std::function<bool(const Graph&)>& fails) {
  while (cut(graph, fails)) {
  }
  return graph;
}

}  // namespace weft::graph::fuzz
