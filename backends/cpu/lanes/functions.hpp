// Functions of vectors, the same for every instruction set: included after one of portable.hpp, avx2.hpp, avx512.hpp.
#pragma once

#include <cmath>

#include "core/ops/activation.hpp"

namespace weft::cpu {
namespace {

inline F select(I mask, F a, F b) { return (F)(((I)a & mask) | ((I)b & ~mask)); }
inline F abs_of(F x) { return (F)((I)x & splat(std::int32_t{0x7FFFFFFF})); }

inline Codes low_nibbles(Codes v) { return v & 15; }
inline Codes high_nibbles(Codes v) { return (Codes)((Pairs)v >> 4) & 15; }

/// e^x to about 2 units in the last place; 0 below -104, Inf above 88.8; keeps NaN. After Moshier's Cephes library.
inline F exp_of(F x) {
  x = max_of(splat(-105.0F), x);
  x = min_of(splat(89.0F), x);
  const I n = to_nearest(x * splat(1.44269504F));
  const F nf = to_float(n);
  const F r = x - nf * splat(0.693359375F) + nf * splat(2.12194440e-4F);
  F p = splat(1.9875691500e-4F);
  p = p * r + splat(1.3981999507e-3F);
  p = p * r + splat(8.3334519073e-3F);
  p = p * r + splat(4.1665795894e-2F);
  p = p * r + splat(1.6666665459e-1F);
  p = p * r + splat(5.0000001201e-1F);
  p = p * (r * r) + r + splat(1.0F);
  // 2^n in two factors, so that neither overflows where the result doesn't.
  const I half = n >> 1;
  const F first = (F)((half + 127) << 23);
  const F second = (F)((n - half + 127) << 23);
  return p * first * second;
}

/// 1 / (1 + e^-x), from e^-|x|, which doesn't overflow: small results keep their precision.
inline F sigmoid_of(F x) {
  const F e = exp_of(-abs_of(x));
  return select((I)(x < splat(0.0F)), e, splat(1.0F)) / (splat(1.0F) + e);
}

/// tanh x: an odd polynomial near 0, where the other form cancels. After Moshier's Cephes library.
inline F tanh_of(F x) {
  const F z = x * x;
  F p = splat(-5.70498872745e-3F);
  p = p * z + splat(2.06390887954e-2F);
  p = p * z - splat(5.37397155531e-2F);
  p = p * z + splat(1.33314422036e-1F);
  p = p * z - splat(3.33332819422e-1F);
  const F near = p * z * x + x;
  const F far = splat(1.0F) - splat(2.0F) / (exp_of(x + x) + splat(1.0F));
  return select((I)(abs_of(x) < splat(0.625F)), near, far);
}

/// erf x to 1.5e-7: Abramowitz and Stegun, 7.1.26.
inline F erf_of(F x) {
  const F z = abs_of(x);
  const F t = splat(1.0F) / (splat(1.0F) + splat(0.3275911F) * z);
  F p = splat(1.061405429F);
  p = p * t - splat(1.453152027F);
  p = p * t + splat(1.421413741F);
  p = p * t - splat(0.284496736F);
  p = p * t + splat(0.254829592F);
  const F y = splat(1.0F) - p * t * exp_of(-z * z);
  return select((I)(x < splat(0.0F)), -y, y);
}

template <ActivationKind kind>
inline F activated(F x) {
  if constexpr (kind == ActivationKind::silu) return x * sigmoid_of(x);
  if constexpr (kind == ActivationKind::gelu_tanh) {
    // 0.5 (1 + tanh v) = sigmoid(2v), which doesn't cancel.
    const F v = splat(1.59576912F) * x * (splat(1.0F) + splat(0.044715F) * x * x);
    return x * sigmoid_of(v);
  }
  if constexpr (kind == ActivationKind::gelu_erf) {
    return splat(0.5F) * x * (splat(1.0F) + erf_of(x * splat(0.70710678F)));
  }
  if constexpr (kind == ActivationKind::relu) return select((I)(x > splat(0.0F)), x, x * splat(0.0F));
  if constexpr (kind == ActivationKind::sigmoid) return sigmoid_of(x);
}

/// y[i] = f(x[i]); the rest of less than a vector goes through a padded copy.
template <class Function>
inline void map(const float* x, float* y, std::int64_t n, Function f) {
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) store(y + i, f(load(x + i)));
  if (i == n) return;
  float tail[lane_count] = {};
  const auto bytes = static_cast<std::size_t>(n - i) * sizeof(float);
  std::memcpy(tail, x + i, bytes);
  store(tail, f(load(tail)));
  std::memcpy(y + i, tail, bytes);
}
template <class Function>
inline void map(const float* a, const float* b, float* y, std::int64_t n, Function f) {
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) store(y + i, f(load(a + i), load(b + i)));
  if (i == n) return;
  float left[lane_count] = {};
  float right[lane_count] = {};
  const auto bytes = static_cast<std::size_t>(n - i) * sizeof(float);
  std::memcpy(left, a + i, bytes);
  std::memcpy(right, b + i, bytes);
  store(left, f(load(left), load(right)));
  std::memcpy(y + i, left, bytes);
}

}  // namespace
}  // namespace weft::cpu
