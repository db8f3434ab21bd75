// Error bounds that ops derive their tolerances from. A unit roundoff is half the distance of neighbours at 1.
#pragma once

#include <cstdint>

#include "core/op.hpp"
#include "core/ops/activation.hpp"

namespace weft {

inline constexpr double roundoff_f32 = 0x1p-24;

/// Unit roundoff of a float type: 2^-24 (f32), 2^-11 (f16), 2^-8 (bf16).
[[nodiscard]] double roundoff(DType type);
/// Half the smallest subnormal step for f16 and the smallest normal number for f32 and bf16 (devices may flush
/// denormals to zero).
[[nodiscard]] double underflow(DType type);

/// A result that takes `operations` correctly rounded f32 steps without cancellation, then rounding to `out`; an
/// operand's denormal may count as zero.
[[nodiscard]] Tolerance rounding_tolerance(double operations, DType out);

/// An activation function's result times a factor of at most `factor`. The relative part covers exp of arguments up to
/// 100; the GELUs cancel near zero below x = 0, where they err in units of x (at most 8 before they vanish).
[[nodiscard]] Tolerance activation_tolerance(ActivationKind kind, double factor, DType out);

/// A dot product of length `k`, measured against its sum of absolute products.
struct DotError {
  std::int64_t k = 0;
  DType activation = DType::f32;  ///< type of x, to which a fused kernel may round what it multiplies
  DType out = DType::f32;
  ActivationPrecision precision = ActivationPrecision::full;
  bool rounds_activation = false;  ///< the activations are an intermediate result that may be kept as `activation`
};
/// full: f32 accumulation in any order behaves like a random walk of roundings, c sqrt(k) u with c = 4, plus four
/// roundings of each weight while it is decoded (scale products, minimum).
/// int8: a block's step is max|x| / 127, an error is uniform in half of it either way: standard deviation
/// max|x| / (127 sqrt(12)) = max|x| / 440. Six deviations of the sum over k of independent errors times weights are
/// 6 / 440 max|x| rms(w) sqrt(k); the magnitude is k mean|x| mean|w|. Samples keep max|x| <= 8 mean|x| in a block and
/// rms(w) <= 1.25 mean|w| holds for normal and uniform weights, so 6 / 440 * 8 * 1.25 / sqrt(k) = 0.137 / sqrt(k).
[[nodiscard]] Tolerance dot_tolerance(const DotError& dot);

}  // namespace weft
