// The loops of loops.hpp in terms of lanes: included after lanes/functions.hpp by one source file of each set.
#pragma once

#include <limits>

#include "backends/cpu/loops/loops.hpp"

namespace weft::cpu {
namespace {

void copy_loop(const float* x, float* y, std::int64_t n) {
  if (n > 0) std::memmove(y, x, static_cast<std::size_t>(n) * sizeof(float));
}

void widen_f16_loop(const std::uint16_t* x, float* y, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) store(y + i, load_f16(x + i));
  if (i == n) return;
  std::uint16_t tail[lane_count] = {};
  std::memcpy(tail, x + i, static_cast<std::size_t>(n - i) * sizeof(std::uint16_t));
  float out[lane_count];
  store(out, load_f16(tail));
  std::memcpy(y + i, out, static_cast<std::size_t>(n - i) * sizeof(float));
}

void widen_bf16_loop(const std::uint16_t* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t bits = static_cast<std::uint32_t>(x[i]) << 16;
    std::memcpy(y + i, &bits, sizeof bits);
  }
}

void narrow_f16_loop(const float* x, std::uint16_t* y, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) store_f16(y + i, load(x + i));
  if (i == n) return;
  float tail[lane_count] = {};
  std::memcpy(tail, x + i, static_cast<std::size_t>(n - i) * sizeof(float));
  std::uint16_t out[lane_count];
  store_f16(out, load(tail));
  std::memcpy(y + i, out, static_cast<std::size_t>(n - i) * sizeof(std::uint16_t));
}

void narrow_bf16_loop(const float* x, std::uint16_t* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t rounded = nan ? bits | 0x400000U : bits + 0x7FFFU + ((bits >> 16) & 1U);
    y[i] = static_cast<std::uint16_t>(rounded >> 16);
  }
}

void add_loop(const float* a, const float* b, float* y, std::int64_t n) {
  map(a, b, y, n, [](F u, F v) { return u + v; });
}
void mul_loop(const float* a, const float* b, float* y, std::int64_t n) {
  map(a, b, y, n, [](F u, F v) { return u * v; });
}
void scale_loop(float factor, const float* x, float* y, std::int64_t n) {
  const F f = splat(factor);
  map(x, y, n, [f](F v) { return f * v; });
}
void softcap_loop(float cap, const float* x, float* y, std::int64_t n) {
  const F c = splat(cap);
  map(x, y, n, [c](F v) { return c * tanh_of(v / c); });
}

template <ActivationKind kind>
void activate_kind(const float* x, float* y, std::int64_t n) {
  map(x, y, n, [](F v) { return activated<kind>(v); });
}
void activate_loop(ActivationKind kind, const float* x, float* y, std::int64_t n) {
  switch (kind) {
    case ActivationKind::silu: return activate_kind<ActivationKind::silu>(x, y, n);
    case ActivationKind::gelu_tanh: return activate_kind<ActivationKind::gelu_tanh>(x, y, n);
    case ActivationKind::gelu_erf: return activate_kind<ActivationKind::gelu_erf>(x, y, n);
    case ActivationKind::relu: return activate_kind<ActivationKind::relu>(x, y, n);
    case ActivationKind::sigmoid: return activate_kind<ActivationKind::sigmoid>(x, y, n);
  }
}

template <ActivationKind kind>
void glu_kind(const float* gate, const float* up, float* y, std::int64_t n) {
  map(gate, up, y, n, [](F g, F u) { return activated<kind>(g) * u; });
}
void glu_loop(ActivationKind kind, const float* gate, const float* up, float* y, std::int64_t n) {
  switch (kind) {
    case ActivationKind::silu: return glu_kind<ActivationKind::silu>(gate, up, y, n);
    case ActivationKind::gelu_tanh: return glu_kind<ActivationKind::gelu_tanh>(gate, up, y, n);
    case ActivationKind::gelu_erf: return glu_kind<ActivationKind::gelu_erf>(gate, up, y, n);
    case ActivationKind::relu: return glu_kind<ActivationKind::relu>(gate, up, y, n);
    case ActivationKind::sigmoid: return glu_kind<ActivationKind::sigmoid>(gate, up, y, n);
  }
}

float dot_loop(const float* a, const float* b, std::int64_t n) {
  F sums[4] = {splat(0.0F), splat(0.0F), splat(0.0F), splat(0.0F)};
  std::int64_t i = 0;
  for (; i + 4 * lane_count <= n; i += 4 * lane_count) {
    for (int u = 0; u < 4; ++u) sums[u] += load(a + i + u * lane_count) * load(b + i + u * lane_count);
  }
  for (; i + lane_count <= n; i += lane_count) sums[0] += load(a + i) * load(b + i);
  float rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

/// 1 / sqrt(mean square + eps). Squares that leave f32's range are summed again in f64.
float inverse_rms(const float* x, float eps, std::int64_t n) {
  const float squares = dot_loop(x, x, n);
  double sum = squares;
  if (!(squares > 1e-30F && squares < 1e38F)) {
    sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  return static_cast<float>(1.0 / __builtin_sqrt(sum / static_cast<double>(n) + static_cast<double>(eps)));
}

void rms_norm_loop(const float* x, const float* weight, float eps, float offset, float* y, std::int64_t n) {
  const F inverse = splat(inverse_rms(x, eps, n));
  if (weight == nullptr) return map(x, y, n, [inverse](F v) { return v * inverse; });
  const F o = splat(offset);
  map(x, weight, y, n, [inverse, o](F v, F w) { return v * inverse * (w + o); });
}

void rotate_loop(float* a, float* b, const float* cosines, const float* sines, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) {
    const F u = load(a + i);
    const F v = load(b + i);
    const F c = load(cosines + i);
    const F s = load(sines + i);
    store(a + i, u * c - v * s);
    store(b + i, u * s + v * c);
  }
  for (; i < n; ++i) {
    const float u = a[i];
    const float v = b[i];
    a[i] = u * cosines[i] - v * sines[i];
    b[i] = u * sines[i] + v * cosines[i];
  }
}

float max_loop(const float* x, std::int64_t n) {
  F m = splat(-std::numeric_limits<float>::infinity());
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) m = max_of(m, load(x + i));
  float largest = largest_of(m);
  for (; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  return largest;
}

bool any_nan(const float* x, std::int64_t n) {
  std::uint32_t found = 0;
  for (std::int64_t i = 0; i < n; ++i) found |= static_cast<std::uint32_t>(x[i] != x[i]);
  return found != 0;
}

std::int64_t argmax_loop(const float* x, std::int64_t n) {
  constexpr std::int64_t chunk = 1024;
  std::int64_t best_chunk = 0;
  float best = -std::numeric_limits<float>::infinity();
  for (std::int64_t begin = 0; begin < n; begin += chunk) {
    const std::int64_t size = n - begin < chunk ? n - begin : chunk;
    if (any_nan(x + begin, size)) return -1;
    const float m = max_loop(x + begin, size);
    if (m > best) {
      best = m;
      best_chunk = begin;
    }
  }
  std::int64_t i = best_chunk;
  while (x[i] != best) ++i;
  return i;
}

/// R rows and V vectors of columns of a small product.
template <int R, int V, bool accumulate>
void product_tile(const SmallProduct& s, const float* a, const float* b, float* c) {
  F sums[R][V];
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) sums[r][v] = accumulate ? load(c + r * s.c_stride + v * lane_count) : splat(0.0F);
  }
  for (std::int64_t k = 0; k < s.k; ++k) {
    F row[V];
    for (int v = 0; v < V; ++v) row[v] = load(b + k * s.b_stride + v * lane_count);
    for (int r = 0; r < R; ++r) {
      const F factor = splat(a[r * s.a_stride + k]);
      for (int v = 0; v < V; ++v) sums[r][v] += factor * row[v];
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) store(c + r * s.c_stride + v * lane_count, sums[r][v]);
  }
}

template <int V, bool accumulate>
void product_columns(const SmallProduct& s, const float* a, const float* b, float* c) {
  constexpr int most = lane_count == 16 ? 6 : lane_count == 8 ? 4 : 2;
  std::int64_t r = 0;
  for (; r + most <= s.rows; r += most) {
    product_tile<most, V, accumulate>(s, a + r * s.a_stride, b, c + r * s.c_stride);
  }
  for (; r + 2 <= s.rows; r += 2) product_tile<2, V, accumulate>(s, a + r * s.a_stride, b, c + r * s.c_stride);
  if (r < s.rows) product_tile<1, V, accumulate>(s, a + r * s.a_stride, b, c + r * s.c_stride);
}

template <bool accumulate>
void product_any(const SmallProduct& s, const float* a, const float* b, float* c) {
  constexpr int columns = 16;
  std::int64_t n = 0;
  if constexpr (lane_count == 16) {
    for (; n + 2 * columns <= s.n; n += 2 * columns) product_columns<2, accumulate>(s, a, b + n, c + n);
  }
  for (; n < s.n; n += columns) product_columns<columns / lane_count, accumulate>(s, a, b + n, c + n);
}
void product_loop(const SmallProduct& s, const float* a, const float* b, float* c) { product_any<false>(s, a, b, c); }
void product_add_loop(const SmallProduct& s, const float* a, const float* b, float* c) {
  product_any<true>(s, a, b, c);
}

float exp_sum_loop(float* x, float maximum, std::int64_t n) {
  const F m = splat(maximum);
  F sum = splat(0.0F);
  std::int64_t i = 0;
  for (; i + lane_count <= n; i += lane_count) {
    const F e = exp_of(load(x + i) - m);
    store(x + i, e);
    sum += e;
  }
  float total = sum_of(sum);
  if (i < n) {
    float tail[lane_count] = {};
    const auto bytes = static_cast<std::size_t>(n - i) * sizeof(float);
    std::memcpy(tail, x + i, bytes);
    store(tail, exp_of(load(tail) - m));
    for (int j = 0; j < n - i; ++j) total += tail[j];
    std::memcpy(x + i, tail, bytes);
  }
  return total;
}

template <DType type>
inline F load_stored(const std::byte* row, std::int64_t i) {
  if constexpr (type == DType::f32) return load(reinterpret_cast<const float*>(row) + i);
  const auto* halves = reinterpret_cast<const std::uint16_t*>(row) + i;
  if constexpr (type == DType::f16) return load_f16(halves);
  return (F)(load_u16(halves) << 16);
}
/// The last less than a vector's elements of a row, zeros after them.
template <DType type>
inline F load_stored_tail(const std::byte* row, std::int64_t i, std::int64_t n) {
  constexpr std::int64_t size = type == DType::f32 ? 4 : 2;
  std::byte tail[lane_count * 4] = {};
  std::memcpy(tail, row + i * size, static_cast<std::size_t>((n - i) * size));
  return load_stored<type>(tail, 0);
}
inline F load_tail(const float* x, std::int64_t n) {
  float tail[lane_count] = {};
  std::memcpy(tail, x, static_cast<std::size_t>(n) * sizeof(float));
  return load(tail);
}

template <DType type, int H>
void scores_of(const CacheRows& keys, const float* q, float* out, std::int64_t out_stride) {
  const std::int64_t whole = keys.width / lane_count * lane_count;
  for (std::int64_t key = 0; key < keys.count; ++key) {
    const std::byte* row = keys.data + key * keys.stride_bytes;
    F sums[H];
    for (int h = 0; h < H; ++h) sums[h] = splat(0.0F);
    for (std::int64_t i = 0; i < whole; i += lane_count) {
      const F k = load_stored<type>(row, i);
      for (int h = 0; h < H; ++h) sums[h] += k * load(q + h * keys.width + i);
    }
    if (whole < keys.width) {
      const F k = load_stored_tail<type>(row, whole, keys.width);
      for (int h = 0; h < H; ++h) sums[h] += k * load_tail(q + h * keys.width + whole, keys.width - whole);
    }
    for (int h = 0; h < H; ++h) out[h * out_stride + key] = sum_of(sums[h]);
  }
}

template <DType type>
void scores_of_heads(const CacheRows& keys, const float* q, std::int64_t heads, float* out, std::int64_t out_stride) {
  std::int64_t h = 0;
  for (; h + 4 <= heads; h += 4) scores_of<type, 4>(keys, q + h * keys.width, out + h * out_stride, out_stride);
  const float* rest = q + h * keys.width;
  float* rest_out = out + h * out_stride;
  if (heads - h == 3) scores_of<type, 3>(keys, rest, rest_out, out_stride);
  if (heads - h == 2) scores_of<type, 2>(keys, rest, rest_out, out_stride);
  if (heads - h == 1) scores_of<type, 1>(keys, rest, rest_out, out_stride);
}

void scores_loop(const CacheRows& keys, const float* q, std::int64_t heads, float* out, std::int64_t out_stride) {
  switch (keys.type) {
    case DType::f32: return scores_of_heads<DType::f32>(keys, q, heads, out, out_stride);
    case DType::f16: return scores_of_heads<DType::f16>(keys, q, heads, out, out_stride);
    default: return scores_of_heads<DType::bf16>(keys, q, heads, out, out_stride);
  }
}

/// H heads and V vectors of columns from column `column` on.
template <DType type, int H, int V>
void weighted_columns(const CacheRows& values, const float* weights, std::int64_t weight_stride, std::int64_t column,
                      float* out) {
  F sums[H][V];
  for (int h = 0; h < H; ++h) {
    for (int v = 0; v < V; ++v) sums[h][v] = load(out + h * values.width + column + v * lane_count);
  }
  for (std::int64_t key = 0; key < values.count; ++key) {
    const std::byte* row = values.data + key * values.stride_bytes;
    F value[V];
    for (int v = 0; v < V; ++v) value[v] = load_stored<type>(row, column + v * lane_count);
    for (int h = 0; h < H; ++h) {
      const F weight = splat(weights[h * weight_stride + key]);
      for (int v = 0; v < V; ++v) sums[h][v] += weight * value[v];
    }
  }
  for (int h = 0; h < H; ++h) {
    for (int v = 0; v < V; ++v) store(out + h * values.width + column + v * lane_count, sums[h][v]);
  }
}

template <DType type>
void weighted_tail(const CacheRows& values, const float* weights, std::int64_t column, float* out) {
  const std::int64_t rest = values.width - column;
  F sum = load_tail(out + column, rest);
  for (std::int64_t key = 0; key < values.count; ++key) {
    sum += splat(weights[key]) * load_stored_tail<type>(values.data + key * values.stride_bytes, column, values.width);
  }
  float tail[lane_count];
  store(tail, sum);
  std::memcpy(out + column, tail, static_cast<std::size_t>(rest) * sizeof(float));
}

template <DType type, int H>
void weighted_heads(const CacheRows& values, const float* weights, std::int64_t weight_stride, float* out) {
  std::int64_t column = 0;
  for (; column + 4 * lane_count <= values.width; column += 4 * lane_count) {
    weighted_columns<type, H, 4>(values, weights, weight_stride, column, out);
  }
  for (; column + lane_count <= values.width; column += lane_count) {
    weighted_columns<type, H, 1>(values, weights, weight_stride, column, out);
  }
  for (int h = 0; column < values.width && h < H; ++h) {
    weighted_tail<type>(values, weights + h * weight_stride, column, out + h * values.width);
  }
}

template <DType type>
void weighted_sum_of(const CacheRows& values, const float* weights, std::int64_t weight_stride, std::int64_t heads,
                     float* out) {
  std::int64_t h = 0;
  for (; h + 3 <= heads; h += 3) {
    weighted_heads<type, 3>(values, weights + h * weight_stride, weight_stride, out + h * values.width);
  }
  for (; h < heads; ++h) {
    weighted_heads<type, 1>(values, weights + h * weight_stride, weight_stride, out + h * values.width);
  }
}

void weighted_sum_loop(const CacheRows& values, const float* weights, std::int64_t weight_stride, std::int64_t heads,
                       float* out) {
  switch (values.type) {
    case DType::f32: return weighted_sum_of<DType::f32>(values, weights, weight_stride, heads, out);
    case DType::f16: return weighted_sum_of<DType::f16>(values, weights, weight_stride, heads, out);
    default: return weighted_sum_of<DType::bf16>(values, weights, weight_stride, heads, out);
  }
}

constexpr Loops loops_named(std::string_view isa) {
  return {.isa = isa,
          .copy = copy_loop,
          .widen_f16 = widen_f16_loop,
          .widen_bf16 = widen_bf16_loop,
          .narrow_f16 = narrow_f16_loop,
          .narrow_bf16 = narrow_bf16_loop,
          .add = add_loop,
          .mul = mul_loop,
          .scale = scale_loop,
          .softcap = softcap_loop,
          .activate = activate_loop,
          .glu = glu_loop,
          .rms_norm = rms_norm_loop,
          .rotate = rotate_loop,
          .argmax = argmax_loop,
          .scores = scores_loop,
          .weighted_sum = weighted_sum_loop,
          .product = product_loop,
          .product_add = product_add_loop,
          .exp_sum = exp_sum_loop,
          .max = max_loop};
}

}  // namespace
}  // namespace weft::cpu
