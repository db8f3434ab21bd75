// Loops over contiguous f32 numbers, built once for each instruction set; kernels take the table that a rule chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/dtype.hpp"
#include "core/ops/activation.hpp"

namespace weft::cpu {

/// Sizes of a small product c[rows, n] = a[rows, k] * b[k, n]; strides in elements. n is a multiple of 16.
struct SmallProduct {
  std::int64_t rows = 0, n = 0, k = 0;
  std::int64_t a_stride = 0, b_stride = 0, c_stride = 0;
};

/// Rows of a KV cache plane: those of one head, of consecutive positions.
struct CacheRows {
  const std::byte* data = nullptr;
  std::int64_t stride_bytes = 0;
  std::int64_t count = 0;
  std::int64_t width = 0;
  DType type = DType::f16;  ///< f32, f16 or bf16
};

/// Every pointer may be unaligned; outputs may equal inputs of the same element.
struct Loops {
  std::string_view isa;
  void (*copy)(const float* x, float* y, std::int64_t n);
  void (*widen_f16)(const std::uint16_t* x, float* y, std::int64_t n);
  void (*widen_bf16)(const std::uint16_t* x, float* y, std::int64_t n);
  void (*narrow_f16)(const float* x, std::uint16_t* y, std::int64_t n);
  void (*narrow_bf16)(const float* x, std::uint16_t* y, std::int64_t n);
  void (*add)(const float* a, const float* b, float* y, std::int64_t n);
  void (*mul)(const float* a, const float* b, float* y, std::int64_t n);
  void (*scale)(float factor, const float* x, float* y, std::int64_t n);
  /// y = cap * tanh(x / cap)
  void (*softcap)(float cap, const float* x, float* y, std::int64_t n);
  void (*activate)(ActivationKind kind, const float* x, float* y, std::int64_t n);
  /// y = act(gate) * up
  void (*glu)(ActivationKind kind, const float* gate, const float* up, float* y, std::int64_t n);
  /// y = x * rsqrt(mean(x^2) + eps) * (weight + offset); weight may be null, then the last factor is 1
  void (*rms_norm)(const float* x, const float* weight, float eps, float offset, float* y, std::int64_t n);
  /// (a, b) -> (a cos - b sin, a sin + b cos) for n pairs of separate halves
  void (*rotate)(float* a, float* b, const float* cosines, const float* sines, std::int64_t n);
  /// Lowest index of the largest element, or -1 where there is a NaN. n > 0.
  std::int64_t (*argmax)(const float* x, std::int64_t n);
  /// out[h, key] = q[h] . key, for `heads` rows of q, `width` of the keys apart
  void (*scores)(const CacheRows& keys, const float* q, std::int64_t heads, float* out, std::int64_t out_stride);
  /// out[h] += sum over keys of weights[h, key] * value; rows of out are `width` of the values apart
  void (*weighted_sum)(const CacheRows& values, const float* weights, std::int64_t weight_stride, std::int64_t heads,
                       float* out);
  void (*product)(const SmallProduct& sizes, const float* a, const float* b, float* c);
  /// The same, added to c.
  void (*product_add)(const SmallProduct& sizes, const float* a, const float* b, float* c);
  /// x = exp(x - maximum); returns the sum
  float (*exp_sum)(float* x, float maximum, std::int64_t n);
  float (*max)(const float* x, std::int64_t n);
};

[[nodiscard]] const Loops& portable_loops();
[[nodiscard]] const Loops& avx2_loops();
[[nodiscard]] const Loops& avx512_loops();

}  // namespace weft::cpu
