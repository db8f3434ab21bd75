// Encoders against bounds that follow from the steps of each format, and against plain rounding without a search.
#include "core/quant/encode/encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <vector>

#include "core/half.hpp"
#include "core/quant/block_format.hpp"
#include "core/quant/encode/fit.hpp"
#include "core/quant/encode_row.hpp"
#include "core/quant/random_blocks.hpp"

namespace weft {
namespace {

std::vector<float> round_trip(DType type, std::span<const float> values) {
  std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(type, std::ssize(values))));
  encode_weights(type, values, row.data());
  std::vector<float> back(values.size());
  decode_row(type, row.data(), back);
  return back;
}

/// Blocks as weights have them: normal, shifted, with an outlier, one-sided, sparse, tiny.
std::vector<float> sample_values(std::size_t count) {
  SeededRandom random(7);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.normal();
    switch (i / 256 % 6) {
      case 0: values[i] = static_cast<float>(0.02 * x); break;
      case 1: values[i] = static_cast<float>(0.1 * x + 0.3); break;
      case 2: values[i] = static_cast<float>(i % 37 == 0 ? 20 * x : 0.5 * x); break;
      case 3: values[i] = static_cast<float>(-std::abs(x)); break;
      case 4: values[i] = i % 5 == 0 ? static_cast<float>(x) : 0.0F; break;
      default: values[i] = static_cast<float>(1e-4 * x); break;
    }
  }
  return values;
}

std::vector<float> normal_values(std::size_t count) {
  SeededRandom random(11);
  std::vector<float> values(count);
  for (float& x : values) x = static_cast<float>(random.normal());
  return values;
}

double relative_rms(std::span<const float> values, std::span<const float> back) {
  double error = 0, sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    error += std::pow(double{values[i]} - back[i], 2);
    sum += std::pow(double{values[i]}, 2);
  }
  return std::sqrt(error / sum);
}

/// The farthest that plain rounding puts an element of `part` (the elements that share a scale) from its value.
/// Symmetric formats: d = max|x| / levels, half of it by rounding, all of it where the largest positive code is one
/// short. Formats with a minimum: half of (max - min) / highest.
/// Scales of the k formats are rounded to 63 (127) steps of the block's largest: half a step times the highest code,
/// and half a step of the minimum.
double plain_bound(DType type, std::span<const float> part, double largest) {
  const auto [low, high] = std::ranges::minmax(part);
  const double most = std::max(std::abs(low), std::abs(high));
  const double range = double{high} - low;
  const double from_zero = std::max(double{high}, 0.0) - std::min(double{low}, 0.0);
  switch (type) {
    case DType::q8_0: return most / 127 / 2;
    case DType::q4_0: return most / 8;
    case DType::q5_0: return most / 16;
    case DType::q4_1: return range / 15 / 2;
    case DType::q5_1: return range / 31 / 2;
    case DType::q4_k: return from_zero / 15 / 2 + largest / 63 / 2 + largest / 63 / 2;
    case DType::q5_k: return from_zero / 31 / 2 + largest / 63 / 2 + largest / 63 / 2;
    case DType::q6_k: return most / 32 + largest / 127 / 2;
    default: return 0;
  }
}

/// The most that a scale is multiplied by: what its rounding to f16 subnormals, 2^-25 at most, grows to.
double largest_factor(DType type) {
  switch (type) {
    case DType::q8_0: return 127;
    case DType::q4_k: return 63 * 15 + 63;
    case DType::q5_k: return 63 * 31 + 63;
    case DType::q6_k: return 128 * 32;
    default: return 33;  // a code of 31 at most, and a minimum
  }
}

class BlockEncoder : public testing::TestWithParam<DType> {};

// The search minimises the weighted squared error, and plain rounding is among what it tries; storing a scale as f16
// changes it by 2^-11, which moves the highest code by as much of the block's range.
TEST_P(BlockEncoder, ErrorIsWithinTheStepsOfTheFormat) {
  const DType type = GetParam();
  const std::vector<float> values = sample_values(256 * 48);
  const std::vector<float> back = round_trip(type, values);
  const std::size_t part = type == DType::q6_k ? 16 : 32;
  const auto block = static_cast<std::size_t>(info(type).block_elements);
  for (std::size_t begin = 0; begin < values.size(); begin += part) {
    const std::span x = std::span(values).subspan(begin, part);
    const auto whole = std::span(values).subspan(begin / block * block, block);
    // Of the whole super-block: no sub-block's range from zero is above this.
    const double largest =
        double{std::max(*std::ranges::max_element(whole), 0.0F)} - std::min(*std::ranges::min_element(whole), 0.0F);
    const double bound = plain_bound(type, x, largest) + 2 * largest * 0x1p-11 + largest_factor(type) * 0x1p-25;
    std::vector<float> weight(part);
    importances(x, weight.data());
    double error = 0, limit = 0;
    for (std::size_t i = 0; i < part; ++i) {
      error += weight[i] * std::pow(double{x[i]} - back[begin + i], 2);
      limit += weight[i] * bound * bound;
    }
    ASSERT_LE(error, limit) << name_of(type) << " at " << begin;
  }
}

TEST_P(BlockEncoder, ZerosAndTheSmallestNumbersStayFinite) {
  const DType type = GetParam();
  for (const float x : {0.0F, -0.0F, 1e-8F, -1e-30F, std::numeric_limits<float>::denorm_min()}) {
    const std::vector<float> values(256, x);
    for (const float y : round_trip(type, values)) ASSERT_LE(std::abs(y - x), std::abs(x)) << name_of(type) << " " << x;
  }
}

// A constant can't be told from a scale: both are exact up to the stored numbers' 11 and 6 bits.
TEST_P(BlockEncoder, ConstantBlocksKeepTheirValue) {
  const DType type = GetParam();
  for (const float x : {0.37F, -5.0F, 1000.0F}) {
    const std::vector<float> values(256, x);
    for (const float y : round_trip(type, values)) {
      ASSERT_NEAR(y, x, std::abs(x) * 0x1p-10F) << name_of(type) << " " << x;
    }
  }
}

// Values that no f16 scale reaches must show, not wrap into wrong finite numbers.
TEST_P(BlockEncoder, ValuesBeyondTheScaleAreNotFinite) {
  const DType type = GetParam();
  std::vector<float> values(256, 1.0F);
  for (std::size_t i = 0; i < values.size(); i += 16) values[i] = 3e38F;
  const std::vector<float> back = round_trip(type, values);
  EXPECT_TRUE(std::ranges::any_of(back, [](float y) { return !std::isfinite(y); })) << name_of(type);
}

TEST_P(BlockEncoder, BlocksDoNotDependOnTheirNeighbours) {
  const DType type = GetParam();
  const std::vector<float> values = sample_values(256 * 6);
  const std::vector<float> whole = round_trip(type, values);
  for (std::size_t begin = 0; begin < values.size(); begin += 256) {
    const auto alone = round_trip(type, std::span(values).subspan(begin, 256));
    ASSERT_TRUE(std::ranges::equal(alone, std::span(whole).subspan(begin, 256))) << name_of(type);
  }
}

std::vector<DType> block_types() {
  std::vector<DType> types;
  for (const DType type : encodable_types()) {
    if (is_quantised(type)) types.push_back(type);
  }
  return types;
}

INSTANTIATE_TEST_SUITE_P(All, BlockEncoder, testing::ValuesIn(block_types()),
                         [](const auto& made) { return std::string(name_of(made.param)); });

TEST(Encoders, FloatsRoundToNearestEven) {
  const std::vector<float> values{1.0F, 1.0F + 0x1p-11F, 1.0F + 3 * 0x1p-11F, -0.0F, 65504.0F, 0x1p-24F};
  EXPECT_EQ(round_trip(DType::f32, values), values);
  EXPECT_EQ(round_trip(DType::f16, values),
            (std::vector<float>{1.0F, 1.0F, 1.0F + 0x1p-9F, -0.0F, 65504.0F, 0x1p-24F}));
  EXPECT_EQ(round_trip(DType::bf16, std::vector<float>{1.0F + 0x1p-8F, 1.0F + 3 * 0x1p-8F}),
            (std::vector<float>{1.0F, 1.0F + 0x1p-6F}));
}

TEST(Encoders, MoreBitsGiveLessError) {
  const std::vector<float> values = normal_values(256 * 64);
  std::map<DType, double> error;
  for (const DType type : encodable_types()) error[type] = relative_rms(values, round_trip(type, values));
  const DType order[] = {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q6_k, DType::q5_1, DType::q4_1};
  for (std::size_t i = 0; i + 1 < std::size(order); ++i) {
    EXPECT_LT(error[order[i]], error[order[i + 1]]) << name_of(order[i]);
  }
  EXPECT_LT(error[DType::q5_k], error[DType::q5_0]);
  EXPECT_LT(error[DType::q5_0], error[DType::q4_k]);
  EXPECT_LT(error[DType::q4_k], error[DType::q4_0]);
}

// The KV cache's encoder of q4_0 doesn't search.
TEST(Encoders, TheSearchBeatsPlainRounding) {
  const std::vector<float> values = normal_values(256 * 64);
  std::vector<std::byte> row(static_cast<std::size_t>(row_bytes(DType::q4_0, std::ssize(values))));
  encode_row(DType::q4_0, values, row.data());
  std::vector<float> plain(values.size());
  decode_row(DType::q4_0, row.data(), plain);
  EXPECT_LT(relative_rms(values, round_trip(DType::q4_0, values)), 0.95 * relative_rms(values, plain));
}

TEST(Encoders, DecodedBlocksComeBackFromQ80) {
  std::vector<std::byte> blocks(34 * 40);
  SeededRandom random(3);
  fill_random_blocks(DType::q8_0, random, 0.1F, blocks);
  std::vector<float> values(32 * 40);
  decode_row(DType::q8_0, blocks.data(), values);
  // The largest code may be 128 in magnitude, which takes a scale of its own.
  EXPECT_LT(relative_rms(values, round_trip(DType::q8_0, values)), 0.008);
}

}  // namespace
}  // namespace weft
