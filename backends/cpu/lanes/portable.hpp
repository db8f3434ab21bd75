// Vectors of four lanes in the compiler's own vector types: what any processor runs. Included by one source file only
// for each instruction set; everything has internal linkage, so nothing built for one set is linked into another.
#pragma once

#include <cstdint>
#include <cstring>

namespace weft::cpu {
namespace {

constexpr int lane_count = 4;
using F = float __attribute__((vector_size(16)));
using I = std::int32_t __attribute__((vector_size(16)));
using Codes = std::uint8_t __attribute__((vector_size(16)));  // four of each lane
using Pairs = std::uint16_t __attribute__((vector_size(16)));

inline F splat(float x) { return F{x, x, x, x}; }
inline I splat(std::int32_t x) { return I{x, x, x, x}; }
inline F load(const float* p) {
  F v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, F v) { std::memcpy(p, &v, sizeof v); }
inline Codes load_codes(const std::uint8_t* p) {
  Codes v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline F to_float(I v) { return __builtin_convertvector(v, F); }
/// Nearest, ties to even, of |v| < 2^22: adding 1.5 * 2^23 leaves the integer in the low mantissa bits.
inline I to_nearest(F v) { return (I)(v + splat(12582912.0F)) - splat(0x4B400000); }
inline float sum_of(F v) { return (v[0] + v[2]) + (v[1] + v[3]); }
inline std::int32_t sum_of(I v) { return (v[0] + v[1]) + (v[2] + v[3]); }
/// |v| <= 127.
inline void store_i8(std::int8_t* p, I v) {
  for (int i = 0; i < lane_count; ++i) p[i] = static_cast<std::int8_t>(v[i]);
}
inline F max_of(F a, F b) { return a > b ? a : b; }
inline F min_of(F a, F b) { return a < b ? a : b; }

inline float widen_one(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  std::uint32_t out = sign | ((exponent + 112U) << 23) | (mantissa << 13);
  if (exponent == 0x1FU) out = sign | 0x7F800000U | (mantissa << 13);
  if (exponent == 0) {
    const float subnormal = static_cast<float>(mantissa) * 0x1p-24F;
    std::memcpy(&out, &subnormal, sizeof out);
    out |= sign;
  }
  float value;
  std::memcpy(&value, &out, sizeof value);
  return value;
}
inline std::uint16_t narrow_one(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU));
  if (magnitude >= 0x47800000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    float shifted;  // adding 0.5 leaves the subnormal's bits, correctly rounded, in the low mantissa
    std::memcpy(&shifted, &magnitude, sizeof shifted);
    shifted += 0.5F;
    std::uint32_t low;
    std::memcpy(&low, &shifted, sizeof low);
    return static_cast<std::uint16_t>(sign | (low - 0x3F000000U));
  }
  return static_cast<std::uint16_t>(sign | ((magnitude + 0xFFFU + ((magnitude >> 13) & 1U) - (112U << 23)) >> 13));
}
inline float largest_of(F v) {
  float m = v[0];
  for (int i = 1; i < lane_count; ++i) m = v[i] > m ? v[i] : m;
  return m;
}
inline F load_f16(const std::uint16_t* p) {
  return F{widen_one(p[0]), widen_one(p[1]), widen_one(p[2]), widen_one(p[3])};
}
inline void store_f16(std::uint16_t* p, F v) {
  for (int i = 0; i < lane_count; ++i) p[i] = narrow_one(v[i]);
}
inline I load_u16(const std::uint16_t* p) { return I{p[0], p[1], p[2], p[3]}; }
inline I load_u8(const std::uint8_t* p) { return I{p[0], p[1], p[2], p[3]}; }
inline I load_i8(const std::int8_t* p) { return I{p[0], p[1], p[2], p[3]}; }

/// Codes whose bit 4 is set where the bit string has a 1.
inline Codes add_fifth_bits(Codes codes, const std::uint8_t* bits) {
  for (int i = 0; i < 4 * lane_count; ++i) {
    codes[i] = static_cast<std::uint8_t>(codes[i] | (((bits[i / 8] >> (i % 8)) & 1) << 4));
  }
  return codes;
}

/// Codes of 8 bits are stored plus 128; this is what of it remains in the products below.
constexpr int byte_code_offset = 128;
/// acc[lane] += sum of four unsigned codes times the four activations at `a`.
inline I dot_codes(I acc, Codes codes, const std::int8_t* a) {
  const I bytes = (I)codes;
  acc += (bytes & 255) * splat(std::int32_t{a[0]});
  acc += ((bytes >> 8) & 255) * splat(std::int32_t{a[1]});
  acc += ((bytes >> 16) & 255) * splat(std::int32_t{a[2]});
  return acc + ((bytes >> 24) & 255) * splat(std::int32_t{a[3]});
}
/// The same for codes of 8 bits.
inline I dot_bytes(I acc, Codes codes, const std::int8_t* a) { return dot_codes(acc, codes, a); }

}  // namespace
}  // namespace weft::cpu
