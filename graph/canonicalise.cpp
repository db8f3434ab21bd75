// One walk in execution order: operands are redirected first, so equal chains become equal node by node.
#include "graph/canonicalise.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "graph/edit.hpp"

namespace weft::graph {
namespace {

bool does_nothing(const Graph& graph, const Node& node) {
  if (node.inputs.empty() || node.inputs[0] == absent_value) return false;
  const bool may = std::holds_alternative<Cast>(node.op) || is_view(node.op) ||
                   (std::holds_alternative<Scale>(node.op) && std::get<Scale>(node.op).factor == 1.0F);
  const Value& in = graph.value(node.inputs[0]);
  // A view of part of its input has another descriptor, except an empty offset: then it is the whole.
  if (!may || graph.value(node.outputs[0]).desc != in.desc) return false;
  return in.kind == ValueKind::computed || std::ranges::find(graph.outputs, node.outputs[0]) == graph.outputs.end();
}

/// Nodes seen so far, by kind and operands: the only ones that can be equal.
class SeenNodes {
 public:
  explicit SeenNodes(const Graph& graph) : graph_(graph) {}

  /// An earlier node that makes the same, or nothing; then the node is remembered.
  const Node* find_or_add(const Node& node, std::size_t number) {
    auto& candidates = seen_[{node.op.index(), node.inputs}];
    for (const std::size_t earlier : candidates) {
      if (graph_.nodes[earlier].op == node.op) return &graph_.nodes[earlier];
    }
    candidates.push_back(number);
    return nullptr;
  }

 private:
  const Graph& graph_;
  std::map<std::pair<std::size_t, std::vector<ValueId>>, std::vector<std::size_t>> seen_;
};

/// Constants with the same tensor behind them become one value.
void merge_constants(const Graph& graph, std::vector<ValueId>& target) {
  std::map<const HostTensor*, ValueId> first;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const HostTensor* tensor = graph.values[v].constant.get();
    if (tensor != nullptr) target[v] = first.try_emplace(tensor, static_cast<ValueId>(v)).first->second;
  }
}

}  // namespace

Graph canonicalise(Graph graph) {
  std::vector<ValueId> target(graph.values.size());
  std::iota(target.begin(), target.end(), ValueId{0});
  merge_constants(graph, target);
  SeenNodes seen(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    Node& node = graph.nodes[n];
    for (ValueId& in : node.inputs) {
      if (in != absent_value) in = target[static_cast<std::size_t>(in)];
    }
    if (!aliases(node.op).empty()) continue;
    if (does_nothing(graph, node)) {
      target[static_cast<std::size_t>(node.outputs[0])] = node.inputs[0];
      continue;
    }
    const Node* earlier = seen.find_or_add(node, n);
    if (earlier == nullptr) continue;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      target[static_cast<std::size_t>(node.outputs[i])] = earlier->outputs[i];
    }
  }
  redirect(graph, target);
  return drop_unused(std::move(graph));
}

}  // namespace weft::graph
