// Trial scales and least squares. Sums run in eight lanes of a fixed order, so that every build gives the same bits.
#include "core/quant/encode/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace weft {
namespace {

constexpr std::size_t lane_count = 8;
// Twice as many trials gain less than 0.2 % of the error.
constexpr float step = 0.2F;  // between trials, in codes
constexpr int trials = 5;     // on each side of the plain scale

struct Lanes {
  std::array<float, lane_count> at{};

  [[nodiscard]] float sum() const { return ((at[0] + at[4]) + (at[2] + at[6])) + ((at[1] + at[5]) + (at[3] + at[7])); }
};

struct ScaleSums {
  float xq = 0;
  float qq = 0;
};

ScaleSums scale_sums(std::span<const float> x, const float* weight, float inverse, float levels) {
  Lanes xq, qq;
  for (std::size_t i = 0; i < x.size(); i += lane_count) {
    for (std::size_t l = 0; l < lane_count; ++l) {
      const float q = nearest_code(x[i + l] * inverse, -levels, levels - 1);
      const float wq = weight[i + l] * q;
      xq.at[l] += wq * x[i + l];
      qq.at[l] += wq * q;
    }
  }
  return {xq.sum(), qq.sum()};
}

/// Codes of a trial, and what the line through them needs.
struct LineSums {
  std::array<float, max_fit> q{};
  float sum_q = 0;
  float sum_qq = 0;
  float sum_xq = 0;
};

LineSums line_sums(std::span<const float> x, const float* weight, float inverse, float lowest, float highest) {
  LineSums sums;
  Lanes sum_q, sum_qq, sum_xq;
  for (std::size_t i = 0; i < x.size(); i += lane_count) {
    for (std::size_t l = 0; l < lane_count; ++l) {
      const float q = nearest_code((x[i + l] - lowest) * inverse, 0, highest);
      const float wq = weight[i + l] * q;
      sums.q[i + l] = q;
      sum_q.at[l] += wq;
      sum_qq.at[l] += wq * q;
      sum_xq.at[l] += wq * x[i + l];
    }
  }
  sums.sum_q = sum_q.sum();
  sums.sum_qq = sum_qq.sum();
  sums.sum_xq = sum_xq.sum();
  return sums;
}

/// Sums over the block that are the same for every trial.
struct BlockSums {
  float weight = 0;
  float x = 0;
};

BlockSums block_sums(std::span<const float> x, const float* weight) {
  Lanes w, wx;
  for (std::size_t i = 0; i < x.size(); i += lane_count) {
    for (std::size_t l = 0; l < lane_count; ++l) {
      w.at[l] += weight[i + l];
      wx.at[l] += weight[i + l] * x[i + l];
    }
  }
  return {w.sum(), wx.sum()};
}

AffineFit line_through(const BlockSums& block, const LineSums& trial, OffsetRange range) {
  const float determinant = block.weight * trial.sum_qq - trial.sum_q * trial.sum_q;
  if (!(determinant > 0)) return {};
  AffineFit fit;
  fit.scale = (block.weight * trial.sum_xq - block.x * trial.sum_q) / determinant;
  fit.offset = (trial.sum_qq * block.x - trial.sum_q * trial.sum_xq) / determinant;
  if (range == OffsetRange::at_most_zero && fit.offset > 0) fit = {trial.sum_xq / trial.sum_qq, 0};
  return fit;
}

float line_error(std::span<const float> x, const float* weight, const LineSums& trial, const AffineFit& fit) {
  Lanes error;
  for (std::size_t i = 0; i < x.size(); i += lane_count) {
    for (std::size_t l = 0; l < lane_count; ++l) {
      const float off = fit.scale * trial.q[i + l] + fit.offset - x[i + l];
      error.at[l] += weight[i + l] * off * off;
    }
  }
  return error.sum();
}

}  // namespace

float inverse_of(float d) {
  const float inverse = d != 0 ? 1.0F / d : 0.0F;
  return std::isfinite(inverse) ? inverse : 0.0F;
}

void importances(std::span<const float> x, float* weight) {
  Lanes squares;
  for (std::size_t i = 0; i < x.size(); i += lane_count) {
    for (std::size_t l = 0; l < lane_count; ++l) squares.at[l] += x[i + l] * x[i + l];
  }
  const float deviation = std::sqrt(squares.sum() / static_cast<float>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) weight[i] = deviation + std::abs(x[i]);
}

float fit_scale(std::span<const float> x, const float* weight, int levels) {
  const float extreme = *std::ranges::max_element(x, {}, [](float v) { return std::abs(v); });
  const float plain = -inverse_of(extreme);
  if (plain == 0) return 0;
  const auto most = static_cast<float>(levels);
  // Kept when no trial has a finite gain: too large for the sums means too large for an f16 scale, which then shows.
  float best = 0, scale = -extreme / most;
  for (int trial = -trials; trial <= trials; ++trial) {
    const ScaleSums sums = scale_sums(x, weight, plain * (most + step * static_cast<float>(trial)), most);
    // The weighted squared error is sum(weight x^2) - gain.
    const float gain = sums.xq / sums.qq * sums.xq;
    if (!(gain > best)) continue;
    best = gain;
    scale = sums.xq / sums.qq;
  }
  return scale;
}

AffineFit fit_affine(std::span<const float> x, const float* weight, int highest, OffsetRange range) {
  const auto [least, most] = std::ranges::minmax(x);
  const float lowest = range == OffsetRange::at_most_zero ? std::min(least, 0.0F) : least;
  const float plain = inverse_of(most - lowest);
  if (plain == 0) return {0, lowest};
  const BlockSums block = block_sums(x, weight);
  const auto codes = static_cast<float>(highest);
  AffineFit best{(most - lowest) / codes, lowest};
  float least_error = line_error(x, weight, line_sums(x, weight, plain * codes, lowest, codes), best);
  for (int trial = -trials; trial <= trials; ++trial) {
    const float inverse = plain * (codes + step * static_cast<float>(trial));
    const LineSums sums = line_sums(x, weight, inverse, lowest, codes);
    const AffineFit fit = line_through(block, sums, range);
    if (!(fit.scale > 0)) continue;
    const float error = line_error(x, weight, sums, fit);
    if (!(error < least_error)) continue;
    least_error = error;
    best = fit;
  }
  return best;
}

}  // namespace weft
