// Rotary embedding against numbers from its definition.
#include "core/ops/rope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/ops/run_op.hpp"

namespace weft {
namespace {

using sample::absent;
using sample::integers;
using sample::values;
using testing::HasSubstr;
using namespace testing_ops;

std::vector<float> rotate(const RopeSpec& spec, std::vector<float> x, std::int32_t position) {
  const auto d = static_cast<std::int64_t>(x.size());
  return run(Rope{spec}, {values(DType::f32, {1, 1, d}, std::move(x)), integers({position}), absent()}).values[0];
}

std::vector<float> unit(std::size_t size, std::size_t one) {
  std::vector<float> x(size, 0.0F);
  x[one] = 1;
  return x;
}

TEST(Rope, PairsOfHalvesAndOfNeighbours) {
  // theta^(-2/4) = 1/100: pair 0 turns by 1 radian a position, pair 1 by 0.01.
  const auto halves = rotate(RopeSpec::plain(RopePairing::halves, 4, 1e4F), {1, 2, 0, 0}, 1);
  EXPECT_NEAR(halves[0], std::cos(1.0), 1e-7);
  EXPECT_NEAR(halves[2], std::sin(1.0), 1e-7);
  EXPECT_NEAR(halves[1], 2 * std::cos(0.01), 1e-6);
  EXPECT_NEAR(halves[3], 2 * std::sin(0.01), 1e-7);
  const auto neighbours = rotate(RopeSpec::plain(RopePairing::interleaved, 4, 1e4F), {0, 1, 2, 0}, 1);
  EXPECT_NEAR(neighbours[0], -std::sin(1.0), 1e-7);
  EXPECT_NEAR(neighbours[1], std::cos(1.0), 1e-7);
  EXPECT_NEAR(neighbours[2], 2 * std::cos(0.01), 1e-6);
  EXPECT_NEAR(neighbours[3], 2 * std::sin(0.01), 1e-7);
}

TEST(Rope, PartOfAHeadHasItsOwnFrequenciesAndPairs) {
  const RopeSpec spec = RopeSpec::plain(RopePairing::halves, 64, 1e7F);
  const auto first = rotate(spec, unit(256, 0), 1000);
  EXPECT_NEAR(first[0], 0.562379, 1e-6);
  EXPECT_NEAR(first[32], 0.826880, 1e-6);
  const auto second = rotate(spec, unit(256, 1), 1000);
  EXPECT_NEAR(second[1], 0.444123, 1e-6);
  EXPECT_NEAR(second[33], 0.895966, 1e-6);
  EXPECT_EQ(second[129], 0);
  std::vector<float> tail(256, 0.0F);
  for (std::size_t i = 64; i < 256; ++i) tail[i] = 0.1F * static_cast<float>(i);
  const auto passed = rotate(spec, tail, 1000);
  for (std::size_t i = 64; i < 256; ++i) EXPECT_EQ(passed[i], tail[i]);
}

TEST(Rope, ProportionalPairsLieHalfAHeadApart) {
  RopeSpec spec = RopeSpec::plain(RopePairing::halves, 4, 1e4F);
  spec.pair_offset = 8;
  spec.frequency_dims = 16;
  const auto y = rotate(spec, unit(16, 1), 3);
  const double angle = 3 * std::pow(1e4, -2.0 / 16);
  EXPECT_NEAR(y[1], std::cos(angle), 1e-6);
  EXPECT_NEAR(y[9], std::sin(angle), 1e-6);
}

TEST(Rope, FarPositionsKeepTheirAngle) {
  const auto y = rotate(RopeSpec::plain(RopePairing::halves, 2, 1e4F), {1, 0}, 131071);
  EXPECT_NEAR(y[0], std::cos(131071.0), 1e-7);
  EXPECT_NEAR(y[1], std::sin(131071.0), 1e-7);
}

TEST(Rope, EachTokenHasItsPosition) {
  const Rope op{RopeSpec::plain(RopePairing::halves, 2, 1e4F)};
  const auto y =
      run(op, {values(DType::f32, {2, 2, 2}, {1, 0, 2, 0, 1, 0, 2, 0}), integers({5, 0}), absent()}).values[0];
  EXPECT_NEAR(y[0], std::cos(5.0), 1e-7);
  EXPECT_NEAR(y[2], 2 * std::cos(5.0), 1e-6);
  EXPECT_EQ(y[4], 1);
  EXPECT_EQ(y[6], 2);
}

TEST(RopeFrequencies, LinearScalingAndDivisors) {
  RopeSpec spec = RopeSpec::plain(RopePairing::halves, 4, 1e4F);
  spec.linear_factor = 4;
  const std::vector<float> divisors{1, 8};
  const auto f = rope_frequencies(spec, divisors);
  EXPECT_DOUBLE_EQ(f[0], 0.25);
  EXPECT_NEAR(f[1], 0.01 / 32, 1e-12);
}

TEST(RopeFrequencies, YarnGoesFromTheOldFrequencyToTheScaledOne) {
  // r = 128, theta 1e4, context 4096: low = floor(20.94) = 20, high = ceil(45.03) = 46.
  RopeSpec spec = RopeSpec::plain(RopePairing::halves, 128, 1e4F);
  spec.yarn = {.factor = 16, .original_context = 4096};
  const auto f = rope_frequencies(spec, {});
  const auto plain = rope_frequencies(RopeSpec::plain(RopePairing::halves, 128, 1e4F), {});
  EXPECT_DOUBLE_EQ(f[0], plain[0]);
  EXPECT_DOUBLE_EQ(f[20], plain[20]);
  EXPECT_NEAR(f[33] / plain[33], 0.5 + 0.5 / 16, 1e-12);
  EXPECT_DOUBLE_EQ(f[46], plain[46] / 16);
  EXPECT_DOUBLE_EQ(f[63], plain[63] / 16);
}

TEST(Rope, MagnitudeMultipliesBothPairings) {
  for (const RopePairing pairing : {RopePairing::halves, RopePairing::interleaved}) {
    RopeSpec spec = RopeSpec::plain(pairing, 2, 1e4F);
    spec.magnitude = 1.4159F;
    const auto y = rotate(spec, {1, 0}, 1);
    EXPECT_NEAR(std::hypot(y[0], y[1]), 1.4159, 1e-6);
  }
}

TEST(Rope, RefusesPairsBeyondTheHead) {
  const auto message = [](const RopeSpec& spec) {
    return refusal(Rope{spec}, {f32({3, 2, 8}), i32({3}), TensorDesc::absent()});
  };
  EXPECT_THAT(message(RopeSpec::plain(RopePairing::halves, 16, 1e4F)), HasSubstr("rope: rope rotated is 16"));
  EXPECT_THAT(message(RopeSpec::plain(RopePairing::halves, 3, 1e4F)), HasSubstr("rope: rope rotated is 3"));
  RopeSpec far = RopeSpec::plain(RopePairing::halves, 8, 1e4F);
  far.pair_offset = 5;
  EXPECT_THAT(message(far), HasSubstr("pair_offset is 5"));
  EXPECT_THAT(refusal(Rope{}, {f32({3, 2, 8}), i32({4}), TensorDesc::absent()}),
              HasSubstr("rope: positions is i32 [4]"));
}

}  // namespace
}  // namespace weft
