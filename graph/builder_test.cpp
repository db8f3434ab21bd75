// The builder: names, shapes, sharing of constants, and that the first mistake is the one reported.
#include "graph/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/example_graph.hpp"
#include "graph/testing/tiny_model.hpp"

namespace weft::graph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Builder, NamesNodesByLayerAndViewsByTheirValue) {
  const auto graph = testing::TinyModel::build(2);
  ASSERT_TRUE(graph) << graph.error().message;
  const auto named = [&](std::string_view name) {
    return std::ranges::find(graph->nodes, name, &Node::name) != graph->nodes.end();
  };
  EXPECT_TRUE(named("blk.0.attn_norm"));
  EXPECT_TRUE(named("blk.1.attn_q.reshape"));
  EXPECT_TRUE(named("output"));
  EXPECT_EQ(graph->states.size(), 2U);
  EXPECT_EQ(std::ranges::find(graph->nodes, "blk.1.attention", &Node::name)->layer, 1);
  EXPECT_EQ(graph->nodes.back().layer, -1);
}

TEST(Builder, SecondViewOfAValueGetsItsOwnName) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  e.b.output(e.b.add("sum", e.b.slice(x, 1, 0, 32), e.b.slice(x, 1, 32, 32)));
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->nodes[0].name, "x.slice");
  EXPECT_EQ(graph->nodes[1].name, "x.slice.2");
}

TEST(Builder, OneTensorIsOneConstant) {
  GraphBuilder b;
  const auto tensor = std::make_shared<HostTensor>();
  const ValueId first = b.constant(tensor);
  EXPECT_EQ(b.constant(tensor), first);
  EXPECT_EQ(b.constant(nullptr), absent_value);
}

TEST(Builder, AbsentOperandsGetTheirPlace) {
  ExampleGraph e;
  e.b.output(e.b.add_node("mm", QuantMatmul{}, {e.activations("x"), e.weight("w", {3, 64})}).front());
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->nodes[0].inputs.size(), 3U);
  EXPECT_EQ(graph->nodes[0].inputs[2], absent_value);
}

TEST(Builder, ReportsTheFirstMistakeWithTheNodesName) {
  ExampleGraph e;
  e.b.enter_layer(3, "blk.3.");
  const ValueId y = e.b.quant_matmul("attn_q", e.activations("x"), e.weight("w", {8, 65}));
  EXPECT_EQ(y, absent_value);
  EXPECT_EQ(e.b.add("later", y, y), absent_value);
  e.b.output(y);
  const auto graph = e.b.finish();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(graph.error().message, AllOf(HasSubstr("blk.3.attn_q"), HasSubstr("65")));
}

TEST(Builder, RefusesATakenName) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  e.b.output(e.b.scale("x", x, 2.0F));
  const auto graph = e.b.finish();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("x: the name is taken"));
}

TEST(Builder, RefusesTwoInputsOfOneName) {
  ExampleGraph e;
  e.b.output(e.b.add("sum", e.activations("x"), e.activations("x")));
  EXPECT_FALSE(e.b.finish());
}

TEST(Builder, RefusesValuesThatAreNotThere) {
  ExampleGraph e;
  e.b.output(e.b.scale("y", 17, 2.0F));
  const auto graph = e.b.finish();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("names value 17"));
}

TEST(Builder, RefusesAGraphWithoutOutput) {
  ExampleGraph e;
  (void)e.b.scale("y", e.activations("x"), 2.0F);
  const auto graph = e.b.finish();
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("no output"));
}

TEST(Builder, KeepsTheCallersOwnError) {
  ExampleGraph e;
  e.b.fail_with({ErrorCode::invalid_file, "tensor w is missing"});
  e.b.fail_with({ErrorCode::internal, "a later one"});
  e.b.output(e.activations("x"));
  const auto graph = e.b.finish();
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().message, "tensor w is missing");
}

}  // namespace
}  // namespace weft::graph
