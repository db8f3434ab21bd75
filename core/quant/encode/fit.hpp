// Searches for the scale (and offset) that round a block of numbers to few codes with the least weighted squared error.
#pragma once

#include <cstdint>
#include <span>

namespace weft {

/// The most numbers that share one scale in any format here. Spans below have at most this many, a multiple of 8.
inline constexpr std::size_t max_fit = 32;

/// How much an element's squared error counts: sqrt(mean of x^2) + |x|. Large weights move a dot product most, but a
/// block isn't all outliers; the same compromise as in the published descriptions of the k-quants.
void importances(std::span<const float> x, float* weight);

/// The d that makes sum weight * (x - d q)^2 small, q being the nearest of the codes -levels … levels - 1 to x / d.
/// Tries `levels` at the element of largest magnitude and steps of a fifth around it; for given codes the best d is
/// sum(weight x q) / sum(weight q^2). Negative when that element is positive, since the codes reach one further below
/// zero. 0 when all x are (nearly) 0.
[[nodiscard]] float fit_scale(std::span<const float> x, const float* weight, int levels);

enum class OffsetRange : std::uint8_t {
  any,
  at_most_zero,  ///< formats that subtract a minimum that can't be negative
};

/// x is near scale * q + offset for codes q of 0 … highest.
struct AffineFit {
  float scale = 0;  ///< not negative
  float offset = 0;
};

/// The same search with an offset: trial scales by the range of x, then the weighted least-squares line through the
/// codes they give.
[[nodiscard]] AffineFit fit_affine(std::span<const float> x, const float* weight, int highest, OffsetRange range);

/// Nearest integer, ties to even, limited to lowest … highest; lowest for NaN.
[[nodiscard]] inline float nearest_code(float value, float lowest, float highest) {
  constexpr float shift = 12582912.0F;  // 1.5 * 2^23: the sum has no bits left for a fraction
  const float above = value > lowest ? value : lowest;
  return ((above < highest ? above : highest) + shift) - shift;
}

/// 1 / d, and 0 where d is 0 or so small that the quotient is no number.
[[nodiscard]] float inverse_of(float d);

}  // namespace weft
