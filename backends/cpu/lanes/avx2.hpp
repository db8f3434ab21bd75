// Vectors of eight lanes for AVX2 with FMA and F16C. See portable.hpp for the contracts.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace weft::cpu {
namespace {

constexpr int lane_count = 8;
using F = float __attribute__((vector_size(32)));
using I = std::int32_t __attribute__((vector_size(32)));
using Codes = std::uint8_t __attribute__((vector_size(32)));
using Pairs = std::uint16_t __attribute__((vector_size(32)));

inline F splat(float x) { return (F)_mm256_set1_ps(x); }
inline I splat(std::int32_t x) { return (I)_mm256_set1_epi32(x); }
inline F load(const float* p) { return (F)_mm256_loadu_ps(p); }
inline void store(float* p, F v) { _mm256_storeu_ps(p, (__m256)v); }
inline Codes load_codes(const std::uint8_t* p) {
  return (Codes)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline F to_float(I v) { return (F)_mm256_cvtepi32_ps((__m256i)v); }
inline I to_nearest(F v) { return (I)_mm256_cvtps_epi32((__m256)v); }
inline float sum_of(F v) {
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline std::int32_t sum_of(I v) {
  const __m128i four = _mm_add_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
  const __m128i two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 1)));
}
inline void store_i8(std::int8_t* p, I v) {
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
}
inline F max_of(F a, F b) { return (F)_mm256_max_ps((__m256)a, (__m256)b); }
inline F min_of(F a, F b) { return (F)_mm256_min_ps((__m256)a, (__m256)b); }
inline float largest_of(F v) {
  const __m128 four = _mm_max_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
  const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps(two, two, 1)));
}
inline F load_f16(const std::uint16_t* p) {
  return (F)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline void store_f16(std::uint16_t* p, F v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
}
inline I load_u16(const std::uint16_t* p) {
  return (I)_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline I load_u8(const std::uint8_t* p) {
  return (I)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
inline I load_i8(const std::int8_t* p) {
  return (I)_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}

inline Codes add_fifth_bits(Codes codes, const std::uint8_t* bits) {
  std::int32_t word;
  std::memcpy(&word, bits, sizeof word);
  const __m256i spread = _mm256_shuffle_epi8(
      _mm256_set1_epi32(word), _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303));
  const __m256i select = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
  const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, select), select);
  return (Codes)_mm256_or_si256((__m256i)codes, _mm256_and_si256(set, _mm256_set1_epi8(16)));
}

inline __m256i splat_four(const std::int8_t* a) {
  std::int32_t word;
  std::memcpy(&word, a, sizeof word);
  return _mm256_set1_epi32(word);
}

#ifdef __AVXVNNI__
constexpr int byte_code_offset = 128;
inline I dot_codes(I acc, Codes codes, const std::int8_t* a) {
  return (I)_mm256_dpbusd_avx_epi32((__m256i)acc, (__m256i)codes, splat_four(a));
}
inline I dot_bytes(I acc, Codes codes, const std::int8_t* a) { return dot_codes(acc, codes, a); }
#else
/// dot_bytes takes the stored 128 off again.
constexpr int byte_code_offset = 0;
/// Codes of up to 6 bits: a pair's sum is at most 2 * 63 * 127 and fits 16 bits.
inline I dot_codes(I acc, Codes codes, const std::int8_t* a) {
  const __m256i pairs = _mm256_maddubs_epi16((__m256i)codes, splat_four(a));
  return acc + (I)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}
/// |w| (up to 128, unsigned) times a with w's sign: activations lie within +-127, so neither the sign change nor a
/// pair's sum of at most 2 * 128 * 127 = 32512 overflows.
inline I dot_bytes(I acc, Codes codes, const std::int8_t* a) {
  const __m256i w = _mm256_xor_si256((__m256i)codes, _mm256_set1_epi8(static_cast<char>(0x80)));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(splat_four(a), w));
  return acc + (I)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
}
#endif

}  // namespace
}  // namespace weft::cpu
