// Tracing of views and aliases, in execution order.
#include "graph/storage.hpp"

#include <algorithm>

namespace weft::graph {

Result<std::vector<Storage>> resolve_storage(const Graph& graph) {
  std::vector<Storage> storage(graph.values.size());
  for (std::size_t v = 0; v < storage.size(); ++v) storage[v].base = static_cast<ValueId>(v);
  for (const Node& node : graph.nodes) {
    if (is_view(node.op)) {
      const Storage& in = storage[static_cast<std::size_t>(node.inputs[0])];
      const auto view = view_of(node.op, graph.value(node.inputs[0]).desc);
      if (!view) return error_of(view, fmt::format("node {}", node.name));
      storage[static_cast<std::size_t>(node.outputs[0])] = {
          in.base, in.byte_offset + static_cast<std::size_t>(view->byte_offset)};
    }
    for (const Alias& alias : aliases(node.op)) {
      storage[static_cast<std::size_t>(node.outputs[alias.output])] =
          storage[static_cast<std::size_t>(node.inputs[alias.input])];
    }
  }
  return storage;
}

std::vector<std::vector<NodeId>> state_users(const Graph& graph, const std::vector<Storage>& storage) {
  std::vector<std::vector<NodeId>> users(graph.states.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const ValueId in : graph.nodes[n].inputs) {
      if (in == absent_value) continue;
      const auto state = std::ranges::find(graph.states, storage[static_cast<std::size_t>(in)].base);
      if (state == graph.states.end()) continue;
      auto& list = users[static_cast<std::size_t>(state - graph.states.begin())];
      if (list.empty() || list.back() != static_cast<NodeId>(n)) list.push_back(static_cast<NodeId>(n));
    }
  }
  return users;
}

}  // namespace weft::graph
