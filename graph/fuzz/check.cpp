// The three ways to run a random graph.
#include "graph/fuzz/check.hpp"

#include <random>

#include "graph/fuzz/agreement.hpp"
#include "graph/fuzz/generator.hpp"

namespace weft::graph::fuzz {
namespace {

/// Each kind of op goes to the reference or to the first backend, at random.
RuleOverride random_split(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string rules;
  for (const std::string_view op : op_names()) {
    if (random() % 2 == 0) continue;
    rules += R"({"when": {"op": ")" + std::string(op) + R"("}, "use": "reference", "why": "split"}, )";
  }
  return {"split.json", R"({"schema": 1, "op": "placement", "rules": [)" + rules +
                            R"({"when": {}, "use": "first", "why": "the rest"}]})"};
}

}  // namespace

Result<std::optional<GraphFault>> check_random_graph(std::uint64_t seed,
                                                     std::span<const std::shared_ptr<Backend>> backends) {
  const auto graph = random_graph(seed);
  if (!graph) return error_of(graph);
  for (const std::string_view way : {"fused", "unfused", "split"}) {
    PlanOptions options = step_options();
    options.fuse = way != "unfused";
    if (way == "split") options.placement_rules = {random_split(seed)};
    const auto fault = [&](const Graph& g) {
      return disagreement(g, seed, [&](const Graph& graph, std::span<const Bytes> inputs) {
        return run_on(graph, options, backends, inputs);
      });
    };
    std::string message = fault(*graph);
    if (message.empty()) continue;
    Graph shrunk = shrink(*graph, [&](const Graph& g) { return !fault(g).empty(); });
    return GraphFault{std::string(way), std::move(message), std::move(shrunk)};
  }
  return std::optional<GraphFault>();
}

}  // namespace weft::graph::fuzz
