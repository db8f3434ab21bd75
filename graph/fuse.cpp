// Rewrites in turn; and the question that keeps fusion from moving work to a slower backend.
#include "graph/fuse.hpp"

#include <unordered_map>

namespace weft::graph {

Graph fuse(Graph graph, std::span<const Rewrite> rewrites, const CallContext& context, const CanRun& can_run) {
  for (const Rewrite& rewrite : rewrites) graph = apply(rewrite, std::move(graph), context, can_run).graph;
  return graph;
}

CanRun ask_backends(const Graph& graph, const Placement& placement,
                    std::span<const std::shared_ptr<Backend>> backends) {
  std::unordered_map<std::string, std::size_t> homes;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (placement.nodes[n].backend) homes.emplace(graph.nodes[n].name, *placement.nodes[n].backend);
  }
  return [homes = std::move(homes), backends](const OpCall& call, std::span<const std::string> parts) {
    // A fused node keeps its last part's name, so parts that are fused themselves are found too.
    const auto home = homes.find(parts.front());
    if (home == homes.end()) return false;
    for (const std::string& part : parts) {
      const auto other = homes.find(part);
      if (other == homes.end() || other->second != home->second) return false;
    }
    return backends[home->second]->select(call).has_value();
  };
}

}  // namespace weft::graph
