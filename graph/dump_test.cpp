// Text and DOT say what is in the graph.
#include "graph/dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/tiny_model.hpp"

namespace weft::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Dump, TextHasALineANode) {
  const auto graph = testing::TinyModel::build(1);
  ASSERT_TRUE(graph);
  const std::string text = dump_text(*graph, {{"output", "cpu"}});
  EXPECT_THAT(text, HasSubstr("input positions : i32 [tokens<=5]\n"));
  EXPECT_THAT(
      text, HasSubstr("blk.0.attn_q = quant_matmul(blk.0.attn_norm, blk.0.attn_q.weight, -) : f32 [tokens<=5, 64]\n"));
  EXPECT_THAT(text, HasSubstr("@cpu\n"));
  EXPECT_THAT(text, HasSubstr("output output\n"));
}

TEST(Dump, DotHasAClusterALayerAndAColourABackend) {
  const auto graph = testing::TinyModel::build(2);
  ASSERT_TRUE(graph);
  const std::string dot = dump_dot(*graph, {{"blk.0.attention", "cpu"}, {"output", "opencl"}});
  EXPECT_TRUE(dot.starts_with("digraph"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_0"));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster_1"));
  EXPECT_THAT(dot, Not(HasSubstr("cluster_-1")));
  EXPECT_THAT(dot, HasSubstr("attention\\nblk.0.attention\\nf32 [tokens<=5, 4, 16]\\ncpu"));
  EXPECT_THAT(dot, HasSubstr("lightblue"));
  EXPECT_THAT(dot, HasSubstr("palegreen"));
  EXPECT_THAT(dot, HasSubstr("style=dashed"));
  EXPECT_EQ(std::ranges::count(dot, '{'), std::ranges::count(dot, '}'));
}

}  // namespace
}  // namespace weft::graph
