// Equal work is done once, no-ops go, and what has an effect stays.
#include "graph/canonicalise.hpp"

#include <gtest/gtest.h>

#include "graph/testing/tiny_model.hpp"
#include "graph/verify.hpp"

namespace weft::graph {
namespace {

Graph cleaned(ExampleGraph& e) {
  auto graph = e.b.finish();
  EXPECT_TRUE(graph) << graph.error().message;
  Graph clean = canonicalise(std::move(*graph));
  const Status ok = verify(clean);
  EXPECT_TRUE(ok) << ok.error().message;
  return clean;
}

TEST(Canonicalise, EqualChainsBecomeOne) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  const ValueId a = e.b.softcap("a2", e.b.scale("a1", x, 2.0F), 5.0F);
  const ValueId b = e.b.softcap("b2", e.b.scale("b1", x, 2.0F), 5.0F);
  e.b.output(e.b.add("sum", a, b));
  const Graph graph = cleaned(e);
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.nodes[2].inputs[0], graph.nodes[2].inputs[1]);
}

TEST(Canonicalise, OtherAttributesAreOtherWork) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  e.b.output(e.b.add("sum", e.b.scale("a", x, 2.0F), e.b.scale("b", x, 3.0F)));
  EXPECT_EQ(cleaned(e).nodes.size(), 3U);
}

TEST(Canonicalise, NoOpsGo) {
  ExampleGraph e;
  const ValueId x = e.b.scale("real", e.activations("x"), 2.0F);
  ValueId y = e.b.scale("one", x, 1.0F);
  y = e.b.cast("same", y, DType::f32);
  y = e.b.slice(y, 1, 0, ExampleGraph::width);
  e.b.output(e.b.reshape(y, Shape{Dim(ExampleGraph::tokens, Symbol::tokens), Dim(ExampleGraph::width)}));
  const Graph graph = cleaned(e);
  ASSERT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.nodes[0].name, "real");
  EXPECT_EQ(graph.outputs[0], graph.nodes[0].outputs[0]);
}

TEST(Canonicalise, AnOutputIsNeverAnInput) {
  ExampleGraph e;
  e.b.output(e.b.scale("one", e.activations("x"), 1.0F));
  EXPECT_EQ(cleaned(e).nodes.size(), 1U);
}

TEST(Canonicalise, UnusedWorkGoesAndInputsStay) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  (void)e.activations("unused");
  (void)e.b.quant_matmul("dead", x, e.weight("w", {8, 64}));
  e.b.output(e.b.scale("y", x, 2.0F));
  const Graph graph = cleaned(e);
  EXPECT_EQ(graph.nodes.size(), 1U);
  EXPECT_EQ(graph.inputs.size(), 2U);
  EXPECT_EQ(graph.values.size(), 3U);
}

TEST(Canonicalise, CacheWritesStay) {
  auto model = testing::TinyModel::build(2);
  ASSERT_TRUE(model);
  const std::size_t before = model->nodes.size();
  EXPECT_EQ(canonicalise(std::move(*model)).nodes.size(), before);
}

}  // namespace
}  // namespace weft::graph
