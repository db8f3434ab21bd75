// Products with float weights in terms of lanes: a part of core_body.hpp.
#pragma once

#include "backends/cpu/matmul/matmul_core.hpp"

namespace weft::cpu {
namespace {

template <DType type>
inline F load_weights(const std::byte* at) {
  if constexpr (type == DType::f32) return load(reinterpret_cast<const float*>(at));
  const auto* halves = reinterpret_cast<const std::uint16_t*>(at);
  if constexpr (type == DType::f16) return load_f16(halves);
  return (F)(load_u16(halves) << 16);
}

/// R rows of a float weight times T tokens, lanes along the columns.
template <DType type, int R, int T>
inline void float_tile(const FloatRows& w, std::int64_t row, const float* x, std::int64_t stride, float* out) {
  constexpr std::int64_t bytes = type == DType::f32 ? 4 : 2;
  const std::byte* first = w.data + row * w.stride_bytes;
  F sums[R][T];
  for (int r = 0; r < R; ++r) {
    for (int t = 0; t < T; ++t) sums[r][t] = splat(0.0F);
  }
  std::int64_t k = 0;
  for (; k + lane_count <= w.k; k += lane_count) {
    F tokens[T];
    for (int t = 0; t < T; ++t) tokens[t] = load(x + t * stride + k);
    for (int r = 0; r < R; ++r) {
      const F weights = load_weights<type>(first + r * w.stride_bytes + k * bytes);
      for (int t = 0; t < T; ++t) sums[r][t] += weights * tokens[t];
    }
  }
  if (k < w.k) {
    const auto rest = static_cast<std::size_t>(w.k - k);
    for (int r = 0; r < R; ++r) {
      std::byte tail[lane_count * 4] = {};
      std::memcpy(tail, first + r * w.stride_bytes + k * bytes, rest * bytes);
      const F weights = load_weights<type>(tail);
      for (int t = 0; t < T; ++t) {
        float numbers[lane_count] = {};
        std::memcpy(numbers, x + t * stride + k, rest * sizeof(float));
        sums[r][t] += weights * load(numbers);
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int t = 0; t < T; ++t) out[t * panel_rows + row + r] = sum_of(sums[r][t]);
  }
}

/// One row times one token: a single forward stream, which is what prefetchers follow best.
template <DType type>
inline float float_row(const std::byte* row, std::int64_t k, const float* x) {
  constexpr std::int64_t bytes = type == DType::f32 ? 4 : 2;
  constexpr int unroll = 4;
  F sums[unroll];
  for (int u = 0; u < unroll; ++u) sums[u] = splat(0.0F);
  std::int64_t i = 0;
  for (; i + unroll * lane_count <= k; i += unroll * lane_count) {
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t at = i + u * lane_count;
      sums[u] += load_weights<type>(row + at * bytes) * load(x + at);
    }
  }
  for (; i + lane_count <= k; i += lane_count) sums[0] += load_weights<type>(row + i * bytes) * load(x + i);
  if (i < k) {
    const auto rest = static_cast<std::size_t>(k - i);
    std::byte tail[lane_count * 4] = {};
    float numbers[lane_count] = {};
    std::memcpy(tail, row + i * bytes, rest * bytes);
    std::memcpy(numbers, x + i, rest * sizeof(float));
    sums[1] += load_weights<type>(tail) * load(numbers);
  }
  return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

template <DType type>
void float_rows_of_token(const FloatRows& weight, const float* x, std::int64_t /*stride*/, float* out) {
  for (std::int64_t row = 0; row < weight.rows; ++row) {
    out[row] = float_row<type>(weight.data + row * weight.stride_bytes, weight.k, x);
  }
}

template <DType type, int T>
void float_rows(const FloatRows& weight, const float* x, std::int64_t stride, float* out) {
  std::int64_t row = 0;
  for (; row + 4 <= weight.rows; row += 4) float_tile<type, 4, T>(weight, row, x, stride, out);
  for (; row < weight.rows; ++row) float_tile<type, 1, T>(weight, row, x, stride, out);
}

}  // namespace
}  // namespace weft::cpu
