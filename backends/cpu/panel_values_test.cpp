// Value types against hand-worked blocks: bytes 29 k + 7 with plain scales, packed into a panel and read back.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/panel.hpp"
#include "core/quant/value_block.hpp"
#include "core/tensor.hpp"

namespace weft::cpu {
namespace {

struct Vector {
  DType type;
  std::vector<std::pair<std::size_t, std::uint8_t>> fields;  ///< bytes that replace the pattern
  std::vector<std::pair<std::size_t, float>> elements;
  double sum;
};

class ValueBlockTest : public testing::TestWithParam<Vector> {};

TEST_P(ValueBlockTest, PanelHoldsTheFormatsNumbers) {
  const Vector& v = GetParam();
  const DTypeInfo& sizes = info(v.type);
  const auto count = static_cast<std::size_t>(sizes.block_elements);
  std::vector<std::byte> block(static_cast<std::size_t>(sizes.block_bytes));
  for (std::size_t k = 0; k < block.size(); ++k) block[k] = static_cast<std::byte>((29 * k + 7) & 0xFF);
  for (const auto& [at, byte] : v.fields) block[at] = std::byte{byte};
  const ConstHostView weight{TensorDesc::dense(v.type, {1, sizes.block_elements}), block.data()};
  std::vector<std::byte> panel(panel_sizes(v.type, sizes.block_elements).bytes);
  pack_panel(weight, 0, panel);
  std::vector<float> got(count);
  decode_panel_row(v.type, panel, 0, got);
  for (const auto& [i, wanted] : v.elements) EXPECT_EQ(got[i], wanted) << "element " << i;
  double sum = 0;
  for (const float x : got) sum += x;
  EXPECT_NEAR(sum, v.sum, 5e-8);  // sums are given to seven decimals
  decode_panel_row(v.type, panel, 1, got);
  for (const float x : got) ASSERT_EQ(x, 0) << "a row beyond the weight";
}

INSTANTIATE_TEST_SUITE_P(
    Types, ValueBlockTest,
    testing::Values(
        Vector{
            DType::q2_k,
            {{80, 0}, {81, 0x38}, {82, 0}, {83, 0x34}},
            {{0, 10.5F}, {1, 0}, {15, 7}, {16, 5.5F}, {31, 3.5F}, {32, -0.5F}, {127, -2.25F}, {128, 19}, {255, 12.25F}},
            1056},
        Vector{DType::q3_k,
               {{108, 0}, {109, 0x38}},
               {{0, 34.5F}, {1, -46}, {15, -23}, {16, -42}, {31, 28}, {32, -7.5F}, {127, 0}, {128, 9}, {255, -31.5F}},
               84},
        Vector{
            DType::iq4_nl, {{0, 0}, {1, 0x38}}, {{0, -52}, {1, 44.5F}, {15, -24.5F}, {16, -24.5F}, {31, 56.5F}}, -13},
        Vector{DType::iq4_xs,
               {{0, 0}, {1, 0x38}},
               {{0, -282.5F},
                {1, -132.5F},
                {15, 207.5F},
                {16, -222.5F},
                {31, -62.5F},
                {32, -1412.5F},
                {127, 364},
                {128, 282.5F},
                {255, 52.5F}},
               3215.5},
        Vector{DType::mxfp4, {{0, 127}}, {{0, 2}, {1, 0.5F}, {15, 6}, {16, 1}, {31, -3}}, 5},
        Vector{DType::nvfp4,
               {{0, 0x38}, {1, 0x40}, {2, 0x3C}, {3, 1}},
               {{0, -1.5F}, {1, 0}, {15, 2}, {16, 3}, {31, 2}, {32, -2.25F}, {63, -0.01171875F}},
               -19.5048828125},
        Vector{DType::tq2_0,
               {{64, 0}, {65, 0x38}},
               {{0, 1}, {1, -0.5F}, {15, 0.5F}, {16, 1}, {31, 0.5F}, {32, 0}, {127, 0.5F}, {128, 1}, {255, -0.5F}},
               62.5},
        Vector{
            DType::tq1_0,
            {{52, 0}, {53, 0x38}},
            {{0, -0.5F}, {1, -0.5F}, {15, 0.5F}, {16, 0.5F}, {31, 0}, {32, -0.5F}, {127, 0}, {128, -0.5F}, {255, 0.5F}},
            -1.5},
        // f32 d = 0.5; element i is half of byte 4 + i as a signed number.
        Vector{DType::q8_k, {{0, 0}, {1, 0}, {2, 0}, {3, 0x3F}}, {{0, 61.5F}, {1, -52}, {255, 47}}, -64}),
    [](const auto& instance) { return std::string(name_of(instance.param.type)); });

}  // namespace
}  // namespace weft::cpu
