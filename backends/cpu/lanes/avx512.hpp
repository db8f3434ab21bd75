// Vectors of sixteen lanes for AVX-512 (f, bw, vl, dq) with FMA; integer products need VNNI. See portable.hpp.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace weft::cpu {
namespace {

constexpr int lane_count = 16;
using F = float __attribute__((vector_size(64)));
using I = std::int32_t __attribute__((vector_size(64)));
using Codes = std::uint8_t __attribute__((vector_size(64)));
using Pairs = std::uint16_t __attribute__((vector_size(64)));

inline F splat(float x) { return (F)_mm512_set1_ps(x); }
inline I splat(std::int32_t x) { return (I)_mm512_set1_epi32(x); }
inline F load(const float* p) { return (F)_mm512_loadu_ps(p); }
inline void store(float* p, F v) { _mm512_storeu_ps(p, (__m512)v); }
inline Codes load_codes(const std::uint8_t* p) { return (Codes)_mm512_loadu_si512(p); }
inline F to_float(I v) { return (F)_mm512_cvtepi32_ps((__m512i)v); }
inline I to_nearest(F v) { return (I)_mm512_cvtps_epi32((__m512)v); }
inline float sum_of(F v) { return _mm512_reduce_add_ps((__m512)v); }
inline std::int32_t sum_of(I v) { return _mm512_reduce_add_epi32((__m512i)v); }
inline void store_i8(std::int8_t* p, I v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8((__m512i)v));
}
inline F max_of(F a, F b) { return (F)_mm512_max_ps((__m512)a, (__m512)b); }
inline F min_of(F a, F b) { return (F)_mm512_min_ps((__m512)a, (__m512)b); }
inline float largest_of(F v) { return _mm512_reduce_max_ps((__m512)v); }
inline F load_f16(const std::uint16_t* p) {
  return (F)_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline void store_f16(std::uint16_t* p, F v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
}
inline I load_u16(const std::uint16_t* p) {
  return (I)_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline I load_u8(const std::uint8_t* p) {
  return (I)_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline I load_i8(const std::int8_t* p) {
  return (I)_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

inline Codes add_fifth_bits(Codes codes, const std::uint8_t* bits) {
  std::uint64_t set;
  std::memcpy(&set, bits, sizeof set);
  const auto v = (__m512i)codes;
  return (Codes)_mm512_mask_add_epi8(v, set, v, _mm512_set1_epi8(16));
}

#ifdef __AVX512VNNI__
constexpr int byte_code_offset = 128;
inline I dot_codes(I acc, Codes codes, const std::int8_t* a) {
  std::int32_t word;
  std::memcpy(&word, a, sizeof word);
  return (I)_mm512_dpbusd_epi32((__m512i)acc, (__m512i)codes, _mm512_set1_epi32(word));
}
inline I dot_bytes(I acc, Codes codes, const std::int8_t* a) { return dot_codes(acc, codes, a); }
#endif

}  // namespace
}  // namespace weft::cpu
