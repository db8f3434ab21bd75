// Decoders against numbers worked out by hand from the formats' definitions.
#include "core/quant/block_format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/half.hpp"

namespace weft {
namespace {

struct Expected {
  std::size_t index;
  float value;
};
struct Vector {
  DType type;
  std::vector<Expected> elements;
  double sum;
};

/// Byte k is (29 k + 7) mod 256, then scales become 0.5 and minima (or their scales) 0.25.
std::vector<std::byte> test_block(DType type) {
  std::vector<std::byte> block(static_cast<std::size_t>(info(type).block_bytes));
  for (std::size_t k = 0; k < block.size(); ++k) block[k] = static_cast<std::byte>((29 * k + 7) % 256);
  const BlockFormat& format = block_format(type);
  const std::array<std::uint16_t, 2> fields{0x3800, 0x3400};
  for (std::size_t i = 0; i < format.half_count; ++i) std::memcpy(&block[format.half_offsets[i]], &fields[i], 2);
  return block;
}

class Decode : public testing::TestWithParam<Vector> {};

TEST_P(Decode, GivesTheDefinitionsNumbers) {
  const Vector& v = GetParam();
  const std::vector<std::byte> block = test_block(v.type);
  std::vector<float> out(static_cast<std::size_t>(info(v.type).block_elements));
  decode_row(v.type, block.data(), out);
  for (const auto& [index, value] : v.elements) EXPECT_EQ(out[index], value) << "element " << index;
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0), v.sum);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Decode,
    testing::Values(Vector{DType::q4_0, {{0, -3.5F}, {1, 3}, {15, -2}, {16, -2}, {31, 3.5F}}, -2.5},
                    Vector{DType::q4_1, {{0, 5.75F}, {1, 4.25F}, {15, 7.25F}, {16, 3.75F}, {31, 1.25F}}, 130.5},
                    Vector{DType::q5_0, {{0, 2.5F}, {1, -7}, {15, -4}, {16, 5.5F}, {31, 3}}, -8.5},
                    Vector{DType::q5_1, {{0, 15.75F}, {1, 14.25F}, {15, 9.25F}, {16, 15.25F}, {31, 13.25F}}, 268.5},
                    Vector{DType::q8_0, {{0, 32.5F}, {1, 47}, {15, -6}, {16, 8.5F}, {31, -30}}, -88},
                    Vector{DType::q4_k,
                           {{0, 194.75F},
                            {1, 106.25F},
                            {15, 283.25F},
                            {16, 194.75F},
                            {31, 283.25F},
                            {32, 153},
                            {127, 133.5F},
                            {128, 53},
                            {255, 80.25F}},
                           35348},
                    Vector{DType::q5_k,
                           {{0, 666.75F},
                            {1, 106.25F},
                            {15, 283.25F},
                            {16, 666.75F},
                            {31, 283.25F},
                            {32, 273},
                            {127, 223.5F},
                            {128, 205},
                            {255, 370.25F}},
                           75188},
                    Vector{DType::q6_k,
                           {{0, -655.5F},
                            {1, 798},
                            {15, -285},
                            {16, -322},
                            {31, -140},
                            {32, -4.5F},
                            {127, 1650},
                            {128, -931.5F},
                            {255, 366}},
                           -742}),
    [](const auto& info_of_case) { return std::string(name_of(info_of_case.param.type)); });

TEST(BlockFormat, SizesAgreeWithTheTypeTable) {
  for (const DType type : weight_types()) {
    EXPECT_EQ(block_format(type).type, type);
    for (std::size_t i = 0; i < block_format(type).half_count; ++i) {
      EXPECT_LE(block_format(type).half_offsets[i] + 2, info(type).block_bytes);
    }
  }
}

TEST(BlockFormat, RowsAreBlocksOneAfterTheOther) {
  const std::vector<std::byte> block = test_block(DType::q4_0);
  std::vector<std::byte> row;
  for (int i = 0; i < 3; ++i) row.insert(row.end(), block.begin(), block.end());
  std::memcpy(row.data() + 18, "\x00\x3C", 2);  // the second block's scale becomes 1
  std::vector<float> out(96);
  decode_row(DType::q4_0, row.data(), out);
  EXPECT_EQ(out[0], -3.5F);
  EXPECT_EQ(out[32], -7.0F);
  EXPECT_EQ(out[64], -3.5F);
}

TEST(BlockFormat, PlainTypesDecodeElementByElement) {
  const std::array<std::uint16_t, 3> f16{0x3C00, 0xC000, 0x0001};
  std::vector<float> out(3);
  decode_row(DType::f16, reinterpret_cast<const std::byte*>(f16.data()), out);
  EXPECT_EQ(out, (std::vector<float>{1, -2, 0x1p-24F}));
  const std::array<std::uint16_t, 3> bf16{0x3F80, 0xC000, 0x7F80};
  decode_row(DType::bf16, reinterpret_cast<const std::byte*>(bf16.data()), out);
  EXPECT_EQ(out, (std::vector<float>{1, -2, INFINITY}));
  decode_row(DType::f32, nullptr, std::span<float>());
}

}  // namespace
}  // namespace weft
