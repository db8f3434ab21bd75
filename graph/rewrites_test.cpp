// Every rewrite of the list gives the same results as what it replaces; and when rewrites must not fire.
#include "graph/rewrites.hpp"

#include <gtest/gtest.h>

#include <set>

#include "graph/canonicalise.hpp"
#include "graph/fuse.hpp"
#include "graph/testing/fake_backend.hpp"
#include "graph/testing/run_graph.hpp"
#include "graph/testing/tiny_model.hpp"
#include "graph/verify.hpp"

namespace weft::graph {
namespace {

bool always(const OpCall&, std::span<const std::string>) { return true; }

std::size_t count(const Graph& graph, std::string_view op) {
  return static_cast<std::size_t>(
      std::ranges::count(graph.nodes, op, [](const Node& node) { return weft::name_of(node.op); }));
}

std::vector<float> results(const Graph& graph) {
  PlanOptions options = testing::options_for({});
  options.fuse = false;
  auto result = testing::run_graph(graph, options, {testing::fake()});
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->values : std::vector<float>{};
}

class EveryRewrite : public ::testing::TestWithParam<Rewrite> {};

TEST_P(EveryRewrite, GivesTheSameResults) {
  const Rewrite& rewrite = GetParam();
  const auto before = rewrite.example();
  ASSERT_TRUE(before) << before.error().message;
  const RewriteResult after = apply(rewrite, *before, {}, always);
  ASSERT_EQ(after.applied, 1U);
  const Status ok = verify(after.graph);
  ASSERT_TRUE(ok) << ok.error().message;
  EXPECT_EQ(count(after.graph, rewrite.name), 1U);
  EXPECT_LT(after.graph.nodes.size(), before->nodes.size());
  EXPECT_LT(testing::relative_error(results(after.graph), results(*before)), 1e-5);
}

TEST_P(EveryRewrite, StaysAwayWhereTheBackendRefuses) {
  const auto before = GetParam().example();
  ASSERT_TRUE(before) << before.error().message;
  const RewriteResult after =
      apply(GetParam(), *before, {}, [](const OpCall&, std::span<const std::string>) { return false; });
  EXPECT_EQ(after.applied, 0U);
  EXPECT_EQ(after.graph.nodes.size(), before->nodes.size());
}

TEST_P(EveryRewrite, IsNotDoneWhereAVanishingValueIsAnOutput) {
  // Every value of the example becomes an output, so whatever would vanish is wanted.
  auto graph = GetParam().example();
  ASSERT_TRUE(graph);
  std::set<ValueId> wanted(graph->outputs.begin(), graph->outputs.end());
  for (const Node& node : graph->nodes) {
    for (const ValueId v : node.outputs) {
      const TensorDesc& desc = graph->value(v).desc;
      if (desc.dtype != DType::state && desc.is_dense()) wanted.insert(v);
    }
  }
  graph->outputs.assign(wanted.begin(), wanted.end());
  // add_rms_norm keeps both of its values, so it alone may still fire.
  EXPECT_EQ(apply(GetParam(), *graph, {}, always).applied, GetParam().name == "add_rms_norm" ? 1U : 0U);
}

INSTANTIATE_TEST_SUITE_P(List, EveryRewrite, ::testing::ValuesIn(all_rewrites()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Rewrites, AModelIsFusedAsTheListsOrderSays) {
  auto model = testing::TinyModel::build(3);
  ASSERT_TRUE(model) << model.error().message;
  const Graph before = canonicalise(*model);
  const Graph after = fuse(before, all_rewrites(), {}, always);
  const Status ok = verify(after);
  ASSERT_TRUE(ok) << ok.error().message;
  EXPECT_EQ(count(after, "norm_matmul"), 3U);
  EXPECT_EQ(count(after, "qk_norm_rope_append"), 3U);
  EXPECT_EQ(count(after, "norm_matmul_glu"), 3U);
  EXPECT_EQ(count(after, "matmul_add"), 6U);
  EXPECT_EQ(count(after, "logits"), 1U);
  EXPECT_EQ(count(after, "quant_matmul") + count(after, "rms_norm") + count(after, "rope") + count(after, "add"), 0U);
  EXPECT_LT(testing::relative_error(results(after), results(before)), 1e-5);
}

TEST(Rewrites, FusedNodeHasTheNameAndLayerOfItsLastPart) {
  auto model = testing::TinyModel::build(2);
  ASSERT_TRUE(model);
  const Graph after = fuse(canonicalise(std::move(*model)), all_rewrites(), {}, always);
  const auto node = std::ranges::find(after.nodes, "blk.1.attn_v", &Node::name);
  ASSERT_NE(node, after.nodes.end());
  EXPECT_EQ(node->layer, 1);
  EXPECT_EQ(weft::name_of(node->op), "norm_matmul");
}

TEST(Rewrites, NormThatSomethingElseReadsIsLeftAlone) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  const ValueId h = e.b.rms_norm("norm", x, e.weight("g", {64}), 1e-6F);
  e.b.output(e.b.add("sum", e.b.quant_matmul("mm", h, e.weight("w", {64, 64})), e.b.scale("other", h, 2.0F)));
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(apply(norm_matmul_rewrite(), *graph, {}, always).applied, 0U);
}

TEST(Rewrites, BroadcastBiasIsNoResidual) {
  ExampleGraph e;
  const ValueId y = e.b.quant_matmul("mm", e.activations("x"), e.weight("w", {8, 64}));
  e.b.output(e.b.add("bias", y, e.weight("b", {8})));
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(apply(matmul_add_rewrite(), *graph, {}, always).applied, 0U);
}

TEST(Rewrites, NormWithoutWeightIsLeftAlone) {
  ExampleGraph e;
  const ValueId h = e.b.rms_norm("norm", e.activations("x"), absent_value, 1e-6F);
  e.b.output(e.b.quant_matmul("mm", h, e.weight("w", {8, 64})));
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  for (const Rewrite& rewrite : all_rewrites()) EXPECT_EQ(apply(rewrite, *graph, {}, always).applied, 0U);
}

struct Tail {
  bool scale = false;
  bool softcap = false;
  bool argmax = false;
};

Result<Graph> head_with(const Tail& tail) {
  ExampleGraph e;
  const ValueId h = e.b.rms_norm("norm", e.activations("x"), e.weight("g", {64}), 1e-6F);
  ValueId y = e.b.quant_matmul("head", h, e.weight("w", {41, 64}));
  if (tail.scale) y = e.b.scale("scale", y, 0.5F);
  if (tail.softcap) y = e.b.softcap("cap", y, 3.0F);
  if (tail.argmax) y = e.b.argmax("argmax", y);
  e.b.output(y);
  return e.b.finish();
}

TEST(Rewrites, LogitsTakesInEveryTail) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    SCOPED_TRACE(bits);
    const auto graph = head_with({(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0});
    ASSERT_TRUE(graph) << graph.error().message;
    const RewriteResult after = apply(logits_rewrite(), *graph, {}, always);
    EXPECT_EQ(after.applied, 1U);
    EXPECT_EQ(after.graph.nodes.size(), 1U);
    EXPECT_LT(testing::relative_error(results(after.graph), results(*graph)), 1e-5);
  }
}

TEST(Rewrites, LogitsLeavesAnArgmaxThatTheBackendLacks) {
  const auto graph = head_with({.softcap = true, .argmax = true});
  ASSERT_TRUE(graph);
  const RewriteResult after = apply(logits_rewrite(), *graph, {}, [](const OpCall& call, auto) {
    return std::get<Logits>(call.op).result == Logits::Yields::values;
  });
  EXPECT_EQ(after.applied, 1U);
  EXPECT_EQ(after.graph.nodes.size(), 2U);
}

TEST(Rewrites, AddRmsNormOnlyGetsNormsThatNoMatmulTookIn) {
  auto model = testing::TinyModel::build(2);
  ASSERT_TRUE(model);
  const Graph after = fuse(canonicalise(std::move(*model)), all_rewrites(), {}, [](const OpCall& call, auto) {
    return std::holds_alternative<AddRmsNorm>(call.op) || std::holds_alternative<Logits>(call.op);
  });
  // Both norms of a layer follow an add, but the very first; the final norm went into logits.
  EXPECT_EQ(count(after, "add_rms_norm"), 3U);
}

/// Two attentions that read one cache: the second's q depends on the first, so nothing may fuse them.
TEST(Rewrites, SharedCacheIsNotFusedAcrossTheFirstAttention) {
  ExampleGraph e;
  const CacheSpec cache{KvLayout::contiguous, DType::f32, DType::f32, 1, 64, 64};
  const RopeSpec spec = RopeSpec::plain(RopePairing::halves, 64, 10000.0F);
  const BatchInputs batch = e.batch();
  const Shape head{Dim(ExampleGraph::tokens, Symbol::tokens), Dim(1), Dim(64)};
  const ValueId x = e.b.reshape(e.activations("x"), head);
  const ValueId k = e.b.rope("rope_k", e.b.reshape(e.activations("k"), head), batch.positions, spec);
  const ValueId state = e.b.kv_append("append", k, x, batch, e.cache("cache"), cache);
  Attention attention;
  attention.cache = cache;
  const ValueId first = e.b.attention("first", x, batch, state, attention);
  const ValueId q = e.b.rope("rope_q", first, batch.positions, spec);
  e.b.output(e.b.attention("second", q, batch, state, attention));
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(apply(qk_norm_rope_append_rewrite(), *graph, {}, always).applied, 0U);
}

}  // namespace
}  // namespace weft::graph
