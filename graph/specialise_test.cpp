// Limits reach every shape, attributes included.
#include "graph/specialise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/tiny_model.hpp"
#include "graph/verify.hpp"

namespace weft::graph {
namespace {

TEST(Specialise, SetsEveryMaximum) {
  auto model = testing::TinyModel::build(1);
  ASSERT_TRUE(model);
  const PlanLimits limits{.tokens = 17, .sequences = 3, .outputs = 2, .kv_len = 100, .kv_rows = 301};
  const auto graph = specialise(std::move(*model), limits);
  ASSERT_TRUE(graph) << graph.error().message;
  const Status ok = verify(*graph);
  EXPECT_TRUE(ok) << ok.error().message;
  for (const Value& value : graph->values) {
    for (const Dim& d : value.desc.shape.dims()) {
      if (d.symbol != Symbol::none) {
        EXPECT_EQ(d.max, limit_of(limits, d.symbol)) << value.name;
      }
    }
  }
  EXPECT_EQ(to_string(graph->value(graph->outputs[0]).desc), "f32 [tokens<=17, 37]");
}

TEST(Specialise, RefusesALimitOfNothing) {
  auto model = testing::TinyModel::build(1);
  ASSERT_TRUE(model);
  const auto graph = specialise(std::move(*model), {.tokens = 0});
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, ::testing::HasSubstr("tokens is 0"));
}

}  // namespace
}  // namespace weft::graph
