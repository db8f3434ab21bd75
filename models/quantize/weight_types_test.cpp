// The built-in table's choices, and what a table of one's own may say.
#include "models/quantize/weight_types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/quant/encode/encoder.hpp"

namespace weft::models {
namespace {

using Dims = std::vector<std::int64_t>;

DType chosen(std::string_view name, const Dims& dims, DType asked, bool head = false) {
  const auto types = WeightTypes::make();
  if (!types) {
    ADD_FAILURE() << types.error().message;
    return DType::none;
  }
  const auto choice = types->choose({name, dims, head, 4}, asked);
  if (!choice) {
    ADD_FAILURE() << choice.error().message;
    return DType::none;
  }
  EXPECT_FALSE(choice->why.empty());
  return choice->type;
}

TEST(WeightTypes, NormsBiasesAndRoutersStayF32) {
  for (const DType asked : encodable_types()) {
    EXPECT_EQ(chosen("blk.0.attn_norm.weight", {256}, asked), DType::f32);
    EXPECT_EQ(chosen("blk.1.attn_q.bias", {256}, asked), DType::f32);
    EXPECT_EQ(chosen("blk.1.ffn_gate_inp.weight", {8, 256}, asked), DType::f32);
  }
}

TEST(WeightTypes, WholeBlocksGetWhatIsAskedFor) {
  for (const DType asked : encodable_types()) EXPECT_EQ(chosen("blk.0.ffn_up.weight", {8, 512}, asked), asked);
}

TEST(WeightTypes, OtherRowsFallBack) {
  const std::array<std::pair<DType, DType>, 8> expected{{{DType::q4_k, DType::q5_0},
                                                         {DType::q5_k, DType::q5_1},
                                                         {DType::q6_k, DType::q8_0},
                                                         {DType::q2_k, DType::q4_0},
                                                         {DType::q4_0, DType::q4_0},
                                                         {DType::q8_0, DType::q8_0},
                                                         {DType::nvfp4, DType::q4_0},
                                                         {DType::bf16, DType::bf16}}};
  for (const auto& [asked, got] : expected) {
    EXPECT_EQ(chosen("blk.0.ffn_up.weight", {8, 32 * 7}, asked), got) << name_of(asked);
  }
  for (const DType asked : {DType::q4_k, DType::q4_0, DType::q8_0, DType::iq2_xs}) {
    EXPECT_EQ(chosen("blk.0.ffn_up.weight", {8, 48}, asked), DType::f16) << name_of(asked);
  }
  EXPECT_EQ(chosen("blk.0.ffn_up.weight", {8, 64 * 3}, DType::nvfp4), DType::nvfp4);
}

TEST(WeightTypes, TheHeadIsRoundedLess) {
  EXPECT_EQ(chosen("output.weight", {512, 256}, DType::q4_0, true), DType::q6_k);
  EXPECT_EQ(chosen("output.weight", {512, 256}, DType::q4_k, true), DType::q6_k);
  EXPECT_EQ(chosen("token_embd.weight", {512, 96}, DType::q4_k, true), DType::q8_0);
  EXPECT_EQ(chosen("token_embd.weight", {512, 256}, DType::q4_k, false), DType::q4_k);
  EXPECT_EQ(chosen("output.weight", {512, 256}, DType::q8_0, true), DType::q8_0);
}

TEST(WeightTypes, ATableOfOnesOwnKnowsLayers) {
  const auto types = WeightTypes::parse(
      R"({"schema": 1, "op": "weight_type", "rules": [
      {"when": {"layer": {"at_most": 1}, "tensor": "ffn_down.weight"}, "use": "q6_k", "why": "early layers"},
      {"when": {}, "use": "asked", "why": "the floor"}]})",
      "mine.json");
  ASSERT_TRUE(types) << types.error().message;
  const Dims dims{8, 256};
  EXPECT_EQ(types->choose({"blk.1.ffn_down.weight", dims}, DType::q4_k)->type, DType::q6_k);
  EXPECT_EQ(types->choose({"blk.12.ffn_down.weight", dims}, DType::q4_k)->type, DType::q4_k);
  const Dims odd{8, 40};
  const auto impossible = types->choose({"blk.1.ffn_down.weight", odd}, DType::q4_k);
  ASSERT_FALSE(impossible);
  EXPECT_THAT(impossible.error().message, testing::HasSubstr("40"));
}

TEST(WeightTypes, BrokenTablesAreRefused) {
  EXPECT_FALSE(WeightTypes::parse(R"({"schema": 1, "op": "weight_type", "rules": [
      {"when": {}, "use": "q9_9", "why": "no such type"}]})",
                                  "a.json"));
  const auto other = WeightTypes::parse(R"({"schema": 1, "op": "placement", "rules": [
      {"when": {}, "use": "asked", "why": "another op"}]})",
                                        "b.json");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, testing::HasSubstr("placement"));
}

}  // namespace
}  // namespace weft::models
