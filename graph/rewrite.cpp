// Application of rewrites: matching, the checks that make any replacement safe, and the exchange of nodes.
#include "graph/rewrite.hpp"

#include <algorithm>

#include "graph/edit.hpp"

namespace weft::graph {
namespace {

bool contains(std::span<const ValueId> list, ValueId id) { return std::ranges::find(list, id) != list.end(); }

/// Vanishing values have no reader but the parts.
bool only_parts_read(const GraphIndex& index, const Replacement& r) {
  for (const NodeId part : r.parts) {
    for (const ValueId made : index.graph().node(part).outputs) {
      if (contains(r.outputs, made)) continue;
      if (index.is_output(made)) return false;
      const auto users = index.users(made);
      if (!std::ranges::all_of(users, [&](NodeId user) { return contains(r.parts, user); })) return false;
    }
  }
  return true;
}

/// For the nodes from the first part to the last: whether each depends on a part. Nothing when one of them also feeds
/// a part, for then no single node can stand in for all parts.
std::optional<std::vector<bool>> dependents(const Graph& graph, const Replacement& r) {
  const auto [first, last] = std::ranges::minmax(r.parts);
  std::vector<bool> tainted(graph.values.size(), false);
  std::vector<bool> depends;
  const auto is_tainted = [&](ValueId v) { return v != absent_value && tainted[static_cast<std::size_t>(v)]; };
  std::vector<bool> of_parts(graph.values.size(), false);
  for (NodeId n = first; n <= last; ++n) {
    const Node& node = graph.node(n);
    const bool part = contains(r.parts, n);
    if (part && std::ranges::any_of(node.inputs, is_tainted)) return std::nullopt;
    const bool reads_part = std::ranges::any_of(
        node.inputs, [&](ValueId v) { return v != absent_value && of_parts[static_cast<std::size_t>(v)]; });
    depends.push_back(!part && (reads_part || std::ranges::any_of(node.inputs, is_tainted)));
    for (const ValueId v : node.outputs) {
      of_parts[static_cast<std::size_t>(v)] = part;
      tainted[static_cast<std::size_t>(v)] = depends.back();
    }
  }
  return depends;
}

std::optional<OpCall> checked_call(const Graph& graph, const Replacement& r, const CallContext& context) {
  TensorDescs inputs = descs_of(graph, r.inputs);
  auto outputs = infer(r.op, inputs);
  if (!outputs || *outputs != descs_of(graph, r.outputs)) return std::nullopt;
  return OpCall{r.op, std::move(inputs), std::move(*outputs), context.phase, context.precision};
}

/// Nodes that don't depend on a part, then the new node, then those that do; otherwise the order stays.
Graph exchange(Graph graph, const Replacement& r, const std::vector<bool>& depends) {
  const auto [first, last] = std::ranges::minmax(r.parts);
  const Node& last_part = graph.node(last);
  Node fused{r.op, r.inputs, r.outputs, last_part.name, last_part.layer};
  std::vector<Node> before;
  std::vector<Node> after;
  for (NodeId n = first; n <= last; ++n) {
    if (contains(r.parts, n)) continue;
    auto& side = depends[static_cast<std::size_t>(n - first)] ? after : before;
    side.push_back(std::move(graph.nodes[static_cast<std::size_t>(n)]));
  }
  before.push_back(std::move(fused));
  before.insert(before.end(), std::make_move_iterator(after.begin()), std::make_move_iterator(after.end()));
  const auto begin = graph.nodes.begin() + first;
  std::ranges::move(before, begin);
  graph.nodes.erase(begin + static_cast<std::ptrdiff_t>(before.size()), graph.nodes.begin() + last + 1);
  renumber_producers(graph);
  return graph;
}

}  // namespace

std::function<std::optional<Match>(const GraphIndex&, NodeId)> matcher(Pattern pattern) {
  return [pattern = std::move(pattern)](const GraphIndex& index, NodeId node) {
    return pattern.match(index, index.graph().node(node).outputs.front());
  };
}

RewriteResult apply(const Rewrite& rewrite, Graph graph, const CallContext& context, const CanRun& can_run) {
  RewriteResult result;
  auto index = std::make_optional<GraphIndex>(graph);
  for (auto root = static_cast<NodeId>(graph.nodes.size()) - 1; root >= 0; --root) {
    const auto match = rewrite.match(*index, root);
    if (!match) continue;
    const auto replacement = rewrite.replace(*index, *match);
    if (!replacement || !only_parts_read(*index, *replacement)) continue;
    const auto depends = dependents(graph, *replacement);
    const auto call = checked_call(graph, *replacement, context);
    if (!depends || !call) continue;
    std::vector<std::string> parts;
    for (const NodeId part : replacement->parts) parts.push_back(graph.node(part).name);
    if (!can_run(*call, parts)) continue;
    graph = exchange(std::move(graph), *replacement, *depends);
    index.emplace(graph);
    ++result.applied;
    root = std::min(root, static_cast<NodeId>(graph.nodes.size()));
  }
  result.graph = drop_unused(std::move(graph));
  return result;
}

}  // namespace weft::graph
