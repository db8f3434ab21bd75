// Weights of any type, decoded 16 neighbours at a time: decode16_<type>(w, planes, row, unit) gives elements
// 16 * unit … of the row whose first block (element, for plain types) is `row`.
// A quantised weight is stored as in files (planes = 0), or field by field: first that field of all blocks, then the
// next field of all blocks … each plane holding `planes` blocks, so that every field is aligned to its size.
// PLANES says which at compile time.
#include "backends/opencl/cl/types.cl"

#define DECODE16(type, w, planes, row, unit) JOIN(decode16_, type)(w, planes, row, unit)
#define DECODE1(type, w, row, i) JOIN(decode1_, type)(w, row, i)

#if PLANES
#define FIELD(before, size, block_bytes) (w + planes * (before) + block * (size))
#define LOAD_BYTES16(p) as_uchar16(*(__global const uint4*)(p))
#define LOAD_UINT(p) (*(__global const uint*)(p))
#else
#define FIELD(before, size, block_bytes) (w + block * (block_bytes) + (before))
#define LOAD_BYTES16(p) vload16(0, p)
#define LOAD_UINT(p) ((uint)((__global const ushort*)(p))[0] | (uint)((__global const ushort*)(p))[1] << 16)
#endif

static inline float16 decode16_f32(Bytes w, ulong planes, ulong row, uint unit) {
  return load16_f32(w, row + 16 * (ulong)unit);
}
static inline float16 decode16_f16(Bytes w, ulong planes, ulong row, uint unit) {
  return load16_f16(w, row + 16 * (ulong)unit);
}
static inline float16 decode16_bf16(Bytes w, ulong planes, ulong row, uint unit) {
  return load16_bf16(w, row + 16 * (ulong)unit);
}
// Single elements: only plain types have rows that are no multiple of 16.
static inline float decode1_f32(Bytes w, ulong row, uint i) { return load_f32(w, row + i); }
static inline float decode1_f16(Bytes w, ulong row, uint i) { return load_f16(w, row + i); }
static inline float decode1_bf16(Bytes w, ulong row, uint i) { return load_bf16(w, row + i); }

// Codes of the low (half 0) or high (half 1) nibbles of 16 bytes.
static inline float16 nibbles(uchar16 bytes, uint high) {
  return convert_float16(high ? bytes >> (uchar)4 : bytes & (uchar)15);
}
// 16 where bit i of `bits` is set.
static inline float16 fifth_bits(uint bits) {
  const uint16 lanes = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return convert_float16((((uint16)(bits) >> lanes) & 1u) << 4);
}

static inline float16 decode16_q4_0(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 2;
  const float d = load_f16(FIELD(0, 2, 18), 0);
  return d * (nibbles(LOAD_BYTES16(FIELD(2, 16, 18)), unit & 1) - 8.0f);
}
static inline float16 decode16_q4_1(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 2;
  Bytes scales = FIELD(0, 4, 20);
  return load_f16(scales, 0) * nibbles(LOAD_BYTES16(FIELD(4, 16, 20)), unit & 1) + load_f16(scales, 1);
}
static inline float16 decode16_q5_0(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 2;
  const float d = load_f16(FIELD(0, 2, 22), 0);
  const uint high = LOAD_UINT(FIELD(2, 4, 22)) >> (16 * (unit & 1));
  return d * (nibbles(LOAD_BYTES16(FIELD(6, 16, 22)), unit & 1) + fifth_bits(high) - 16.0f);
}
static inline float16 decode16_q5_1(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 2;
  Bytes scales = FIELD(0, 4, 24);
  const uint high = LOAD_UINT(FIELD(4, 4, 24)) >> (16 * (unit & 1));
  const float16 codes = nibbles(LOAD_BYTES16(FIELD(8, 16, 24)), unit & 1) + fifth_bits(high);
  return load_f16(scales, 0) * codes + load_f16(scales, 1);
}
static inline float16 decode16_q8_0(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 2;
  const float d = load_f16(FIELD(0, 2, 34), 0);
  return d * convert_float16(as_char16(LOAD_BYTES16(FIELD(2, 32, 34) + 16 * (unit & 1))));
}

// Six-bit scale and minimum of sub-block k in the 12 bytes that Q4_K and Q5_K share.
static inline float2 k_scale(Bytes c, uint k) {
  if (k < 4) return (float2)((float)(c[k] & 63), (float)(c[k + 4] & 63));
  const uint scale = (c[k + 4] & 15) | (uint)(c[k - 4] >> 6) << 4;
  const uint minimum = (c[k + 4] >> 4) | (uint)(c[k] >> 6) << 4;
  return (float2)((float)scale, (float)minimum);
}
static inline float16 decode16_q4_k(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 16;
  const uint k = (unit / 2) & 7;
  Bytes d = FIELD(0, 4, 144);
  const float2 s = k_scale(FIELD(4, 12, 144), k) * (float2)(load_f16(d, 0), -load_f16(d, 1));
  const uchar16 codes = LOAD_BYTES16(FIELD(16, 128, 144) + 32 * (k / 2) + 16 * (unit & 1));
  return s.x * nibbles(codes, k & 1) + s.y;
}
static inline float16 decode16_q5_k(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 16;
  const uint k = (unit / 2) & 7;
  Bytes d = FIELD(0, 4, 176);
  const float2 s = k_scale(FIELD(4, 12, 176), k) * (float2)(load_f16(d, 0), -load_f16(d, 1));
  const uchar16 fifth = (LOAD_BYTES16(FIELD(16, 32, 176) + 16 * (unit & 1)) >> (uchar)k) & (uchar)1;
  const uchar16 codes = LOAD_BYTES16(FIELD(48, 128, 176) + 32 * (k / 2) + 16 * (unit & 1));
  return s.x * (nibbles(codes, k & 1) + 16.0f * convert_float16(fifth)) + s.y;
}
static inline float16 decode16_q6_k(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong block = row + unit / 16;
  const uint half_block = (unit / 8) & 1;
  const uint group = (unit / 2) & 3;
  const float d = load_f16(FIELD(208, 2, 210), 0);
  const float scale = (float)((__global const char*)FIELD(192, 16, 210))[unit & 15];
  const uchar16 low = LOAD_BYTES16(FIELD(0, 128, 210) + 64 * half_block + 32 * (group & 1) + 16 * (unit & 1));
  const uchar16 high = LOAD_BYTES16(FIELD(128, 64, 210) + 32 * half_block + 16 * (unit & 1));
  const uchar16 nibble = group / 2 ? low >> (uchar)4 : low & (uchar)15;
  const uchar16 codes = nibble | (((high >> (uchar)(2 * group)) & (uchar)3) << (uchar)4);
  return d * scale * (convert_float16(codes) - 32.0f);
}

#ifdef W_UNITS
// Blocks taken apart: a signed byte an element, an f32 scale and (values_minima) an f32 minimum for each 16.
static inline float16 decode16_values(Bytes w, ulong planes, ulong row, uint unit) {
  const ulong at = row * W_UNITS + unit;
  const float scale = ((__global const float*)(w + planes * (16 * W_UNITS)))[at];
  return scale * convert_float16(as_char16(*(__global const uint4*)(w + 16 * at)));
}
static inline float16 decode16_values_minima(Bytes w, ulong planes, ulong row, uint unit) {
  const float minimum = ((__global const float*)(w + planes * (20 * W_UNITS)))[row * W_UNITS + unit];
  return decode16_values(w, planes, row, unit) + minimum;
}
#endif
