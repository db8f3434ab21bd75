// Patterns: operands, optional parts, either order, and names that must agree.
#include "graph/pattern.hpp"

#include <gtest/gtest.h>

#include "graph/example_graph.hpp"

namespace weft::graph {
namespace {

class PatternTest : public ::testing::Test {
 protected:
  /// Finishes the graph with `result` as its output and matches there.
  std::optional<Match> match(const Pattern& pattern, ValueId result) {
    e.b.output(result);
    auto built = e.b.finish();
    EXPECT_TRUE(built) << built.error().message;
    graph = std::move(*built);
    index.emplace(graph);
    return pattern.match(*index, result);
  }

  ExampleGraph e;
  Graph graph;
  std::optional<GraphIndex> index;
  ValueId x = e.activations("x");
};

Pattern matmul_of_norm() {
  return Pattern::of<QuantMatmul>("mm", Pattern::of<RmsNorm>("norm", Pattern::any("x"), Pattern::optional("g")),
                                  Pattern::any("w"), Pattern::optional("bias"));
}

TEST_F(PatternTest, BindsNodesAndValuesByName) {
  const ValueId w = e.weight("w", {8, 64});
  const ValueId h = e.b.rms_norm("n", x, absent_value, 1e-6F);
  const ValueId y = e.b.quant_matmul("y", h, w);
  const auto m = match(matmul_of_norm(), y);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->node("norm"), 0);
  EXPECT_EQ(m->node("mm"), 1);
  EXPECT_EQ(m->value("x"), x);
  EXPECT_EQ(m->value("norm"), h);
  EXPECT_EQ(m->value("w"), w);
  EXPECT_EQ(m->value("g"), absent_value);
  EXPECT_EQ(m->value("bias"), absent_value);
  EXPECT_EQ(m->nodes(), (std::vector<NodeId>{0, 1}));
}

TEST_F(PatternTest, AnyNeedsAValue) {
  const ValueId y = e.b.quant_matmul("y", x, e.weight("w", {8, 64}));
  EXPECT_FALSE(match(Pattern::of<QuantMatmul>("mm", Pattern::any("x"), Pattern::any("w"), Pattern::any("bias")), y));
}

TEST_F(PatternTest, AnotherOpOrAnInputDoesNotMatch) {
  const ValueId y = e.b.quant_matmul("y", e.b.scale("s", x, 2.0F), e.weight("w", {8, 64}));
  EXPECT_FALSE(match(matmul_of_norm(), y));
  EXPECT_FALSE(matmul_of_norm().match(*index, x));
  EXPECT_FALSE(matmul_of_norm().match(*index, absent_value));
}

TEST_F(PatternTest, MaybeMatchesWithAndWithout) {
  const Pattern pattern = Pattern::maybe<Softcap>("cap", Pattern::maybe<Scale>("scale", Pattern::of<Add>("add")));
  const ValueId sum = e.b.add("a", x, x);
  const ValueId capped = e.b.softcap("c", sum, 5.0F);
  const auto with = match(pattern, capped);
  ASSERT_TRUE(with);
  EXPECT_TRUE(with->has("cap"));
  EXPECT_FALSE(with->has("scale"));
  const auto without = pattern.match(*index, sum);
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->has("cap"));
}

TEST_F(PatternTest, OneNameIsOneValue) {
  const ValueId other = e.activations("other");
  const Pattern twice = Pattern::of<Add>("add", Pattern::any("v"), Pattern::any("v"));
  const ValueId different = e.b.add("different", x, other);
  const ValueId same = e.b.add("same", x, x);
  e.b.output(different);
  EXPECT_TRUE(match(twice, same));
  EXPECT_FALSE(twice.match(*index, different));
}

TEST_F(PatternTest, EitherOrderTriesBothAndForgetsTheFirst) {
  const Pattern pattern =
      Pattern::either_order<Add>("add", Pattern::of<Scale>("scale", Pattern::any("in")), Pattern::any("residual"));
  const ValueId scaled = e.b.scale("s", x, 2.0F);
  const ValueId left = e.b.add("left", scaled, x);
  const ValueId right = e.b.add("right", x, scaled);
  e.b.output(left);
  const auto m = match(pattern, right);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->value("residual"), x);
  const auto n = pattern.match(*index, left);
  ASSERT_TRUE(n);
  EXPECT_EQ(n->value("residual"), x);
}

}  // namespace
}  // namespace weft::graph
