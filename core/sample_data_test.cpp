// Host tensors made from samples.
#include "core/sample_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/ops/kv_operands.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/quant/block_format.hpp"
#include "core/quant/encode_row.hpp"
#include "core/quant/random_blocks.hpp"

namespace weft {
namespace {

double deviation(std::span<const float> values) {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * v;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(RandomBlocks, DecodeToTheDeviationAskedFor) {
  for (const DType type : weight_types()) {
    if (!is_quantised(type)) continue;
    for (const float scale : {0.02F, 1.0F}) {
      std::vector<std::byte> blocks(static_cast<std::size_t>(row_bytes(type, 1 << 16)));
      SeededRandom random(7);
      fill_random_blocks(type, random, scale, blocks);
      std::vector<float> values(1 << 16);
      decode_row(type, blocks.data(), values);
      // A power of two is up to a factor of sqrt(2) off.
      EXPECT_NEAR(deviation(values) / scale, 1, type == DType::mxfp4 ? 0.42 : 0.15) << name_of(type);
      if (type == DType::tq2_0) continue;  // its fourth code stands for 2, without a counterpart
      double mean = 0;
      for (const float v : values) mean += v / 65536.0;
      EXPECT_NEAR(mean / scale, 0, 0.12)  // codes of symmetric formats lean to the negative by half a step
          << name_of(type);
    }
  }
}

TEST(SampleData, TheSameSeedGivesTheSameBytes) {
  const AnySample s{"", Add{}, {sample::normal(DType::q4_k, {3, 256}), sample::normal(DType::f16, {5})}};
  const auto bytes = [&](std::uint64_t seed) {
    std::vector<std::byte> all;
    for (const OwnedTensor& t : make_inputs(s, seed)) all.insert(all.end(), t.bytes().begin(), t.bytes().end());
    return all;
  };
  EXPECT_EQ(bytes(3), bytes(3));
  EXPECT_NE(bytes(3), bytes(4));
}

TEST(SampleData, TensorsAreAlignedAndStridedOnesHaveTheirPadding) {
  const auto in =
      make_inputs({"", Add{}, {sample::strided(DType::f32, {3, 5}, 4), sample::normal(DType::f32, {5})}}, 1);
  EXPECT_EQ(in[0].bytes().size(), (2 * 9 + 5) * 4U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in[0].bytes().data()) % 64, 0U);
  EXPECT_EQ(read_all(in[0].input()).size(), 15U);
}

TEST(SampleData, CachesHoldRandomRowsOfTheirTypes) {
  const CacheSpec spec{.k_type = DType::q8_0, .v_type = DType::f16, .kv_heads = 2, .dk = 32, .dv = 8};
  Attention op;
  op.cache = spec;
  const sample::Batch b = sample::batch({{9, 1}});
  const auto in = make_inputs({"",
                               op,
                               {sample::normal(DType::f32, {1, 2, 32}), b.positions, b.sequences, b.kv_table,
                                b.kv_lengths, b.cache, sample::absent()}},
                              1);
  ASSERT_EQ(in[5].bytes().size(), cache_planes(spec, 10).bytes);
  const CacheRows<const std::byte> rows(spec, 10, in[5].bytes().data());
  std::vector<float> key(32);
  decode_row(DType::q8_0, rows.key(9, 1), key);
  EXPECT_NEAR(deviation(key), 1, 0.5);
}

TEST(SampleData, OutputsStartAsNaNAndAliasesAsTheirInput) {
  const AnySample add{"", Add{}, {sample::normal(DType::f32, {3}), sample::normal(DType::f32, {3})}};
  const auto in = make_inputs(add, 1);
  const auto out = make_outputs(add.op, TensorDescs{in[0].desc()}, in);
  for (const float v : read_all(out[0].input())) EXPECT_TRUE(std::isnan(v));
}

TEST(EncodeRow, KeepsValuesWithinHalfAStep) {
  SeededRandom random(5);
  std::vector<float> values(64);
  for (float& v : values) v = static_cast<float>(random.normal());
  const auto worst = [&](DType type) {
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(type, 64)));
    encode_row(type, values, row.data());
    std::vector<float> back(64);
    decode_row(type, row.data(), back);
    double largest = 0;
    for (std::size_t i = 0; i < 64; ++i)
      largest = std::max(largest, std::abs(static_cast<double>(back[i]) - values[i]));
    return largest;
  };
  EXPECT_EQ(worst(DType::f32), 0);
  EXPECT_LE(worst(DType::f16), 4 * 0x1p-11);
  EXPECT_LE(worst(DType::bf16), 4 * 0x1p-8);
  EXPECT_LE(worst(DType::q8_0), 4 * (0.5 / 127 + 0x1p-10));
  EXPECT_LE(worst(DType::q4_0), 4 * (1.0 / 8 + 0x1p-10));
}

TEST(EncodeRow, ZerosStayZero) {
  const std::vector<float> zeros(32, 0.0F);
  for (const DType type : {DType::q8_0, DType::q4_0}) {
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(type, 32)));
    encode_row(type, zeros, row.data());
    std::vector<float> back(32, 1.0F);
    decode_row(type, row.data(), back);
    EXPECT_THAT(back, testing::Each(0.0F));
  }
}

}  // namespace
}  // namespace weft
