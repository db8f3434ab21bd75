// The generator's promises, and that a wrong rewrite is found and shrunk.
#include <gtest/gtest.h>

#include <map>

#include "graph/dump.hpp"
#include "graph/fuzz/agreement.hpp"
#include "graph/fuzz/generator.hpp"
#include "graph/rewrites.hpp"
#include "graph/testing/fake_backend.hpp"
#include "graph/verify.hpp"

namespace weft::graph::fuzz {
namespace {

TEST(RandomGraph, SameSeedGivesTheSameGraph) {
  EXPECT_EQ(dump_text(random_graph(7).value()), dump_text(random_graph(7).value()));
  EXPECT_NE(dump_text(random_graph(7).value()), dump_text(random_graph(8).value()));
}

TEST(RandomGraph, IsValidAndEveryRewriteFiresInOneOfTwenty) {
  std::map<std::string_view, int> fired;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto graph = random_graph(seed);
    ASSERT_TRUE(graph) << seed << ": " << graph.error().message;
    ASSERT_TRUE(verify(*graph)) << seed;
    for (const Rewrite& rewrite : all_rewrites()) {
      RewriteResult result = apply(rewrite, std::move(*graph), {}, [](const auto&, const auto&) { return true; });
      fired[rewrite.name] += result.applied > 0 ? 1 : 0;
      *graph = std::move(result.graph);
    }
  }
  for (const Rewrite& rewrite : all_rewrites()) EXPECT_GE(fired[rewrite.name], 10) << rewrite.name;
}

/// A rewrite gone wrong: every activation becomes a relu.
Graph with_relu(Graph graph) {
  for (Node& node : graph.nodes) {
    if (auto* op = std::get_if<Activation>(&node.op)) op->activation = ActivationKind::relu;
  }
  return graph;
}

TEST(Agreement, FindsAWrongRewriteAndShrinksItToItsNode) {
  const std::vector<std::shared_ptr<Backend>> backends{testing::fake()};
  const Runner run = [&](const Graph& graph, std::span<const Bytes> inputs) {
    return run_on(with_relu(graph), step_options(), backends, inputs);
  };
  int found = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto graph = random_graph(seed);
    ASSERT_TRUE(graph) << graph.error().message;
    const auto fails = [&](const Graph& g) { return !disagreement(g, seed, run).empty(); };
    if (!fails(*graph)) continue;
    ++found;
    const Graph small = shrink(*graph, fails);
    EXPECT_LE(small.nodes.size(), 2U) << dump_text(small);
    EXPECT_TRUE(fails(small));
  }
  EXPECT_GT(found, 3);
}

TEST(Agreement, ABackendOfReferencesAgrees) {
  const std::vector<std::shared_ptr<Backend>> backends{testing::fake()};
  const Runner run = [&](const Graph& graph, std::span<const Bytes> inputs) {
    return run_on(graph, step_options(), backends, inputs);
  };
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    EXPECT_EQ(disagreement(random_graph(seed).value(), seed, run), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::graph::fuzz
