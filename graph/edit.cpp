// Redirection of readers and removal of what nothing uses.
#include "graph/edit.hpp"

#include <algorithm>
#include <utility>

namespace weft::graph {
namespace {

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

std::vector<bool> live_values(const Graph& graph, std::vector<bool>& live_nodes) {
  std::vector<bool> live(graph.values.size(), false);
  for (const auto* list : {&graph.inputs, &graph.states, &graph.outputs}) {
    for (const ValueId v : *list) live[at(v)] = true;
  }
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    const bool used = std::ranges::any_of(node.outputs, [&](ValueId v) { return live[at(v)]; });
    if (!used && aliases(node.op).empty()) continue;
    live_nodes[n] = true;
    for (const ValueId v : node.outputs) live[at(v)] = true;
    for (const ValueId v : node.inputs) {
      if (v != absent_value) live[at(v)] = true;
    }
  }
  return live;
}

void renumber(std::vector<ValueId>& ids, const std::vector<ValueId>& moved) {
  for (ValueId& id : ids) {
    if (id != absent_value) id = moved[at(id)];
  }
}

}  // namespace

void renumber_producers(Graph& graph) {
  for (Value& value : graph.values) value.producer = no_node;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId v : graph.nodes[n].outputs) graph.values[at(v)].producer = static_cast<NodeId>(n);
  }
}

void redirect(Graph& graph, std::span<const ValueId> target) {
  const auto follow = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) {
      if (id != absent_value) id = target[at(id)];
    }
  };
  for (Node& node : graph.nodes) follow(node.inputs);
  follow(graph.outputs);
}

Graph drop_unused(Graph graph) {
  std::vector<bool> live_nodes(graph.nodes.size(), false);
  const std::vector<bool> live = live_values(graph, live_nodes);
  std::vector<ValueId> moved(graph.values.size(), absent_value);
  Graph kept;
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    if (!live[v]) continue;
    moved[v] = static_cast<ValueId>(kept.values.size());
    kept.values.push_back(std::move(graph.values[v]));
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!live_nodes[n]) continue;
    Node& node = graph.nodes[n];
    renumber(node.inputs, moved);
    renumber(node.outputs, moved);
    kept.nodes.push_back(std::move(node));
  }
  kept.inputs = std::move(graph.inputs);
  kept.states = std::move(graph.states);
  kept.outputs = std::move(graph.outputs);
  for (auto* list : {&kept.inputs, &kept.states, &kept.outputs}) renumber(*list, moved);
  renumber_producers(kept);
  return kept;
}

}  // namespace weft::graph
