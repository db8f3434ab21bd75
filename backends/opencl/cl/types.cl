// Element types: loads widen to f32, stores round to nearest even. Names end in the type so that -D can choose them:
// LOAD(f16, p, i). Pointers are to bytes; indices count elements.
// A kernel's work-group is LANES items in the first dimension.
#ifndef LANES
#define LANES 1
#endif
#define GROUP_KERNEL __kernel __attribute__((reqd_work_group_size(LANES, 1, 1)))

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define LOAD(type, p, i) JOIN(load_, type)(p, i)
#define LOAD16(type, p, i) JOIN(load16_, type)(p, i)
#define STORE(type, p, i, value) JOIN(store_, type)(p, i, value)
#define STORE16(type, p, i, value) JOIN(store16_, type)(p, i, value)

typedef __global const uchar* Bytes;
typedef __global uchar* MutableBytes;

static inline float load_f32(Bytes p, ulong i) { return ((__global const float*)p)[i]; }
static inline float load_f16(Bytes p, ulong i) { return vload_half(i, (__global const half*)p); }
static inline float load_bf16(Bytes p, ulong i) { return as_float((uint)((__global const ushort*)p)[i] << 16); }

static inline float16 load16_f32(Bytes p, ulong i) { return vload16(0, (__global const float*)p + i); }
static inline float16 load16_f16(Bytes p, ulong i) { return vload_half16(0, (__global const half*)p + i); }
static inline float16 load16_bf16(Bytes p, ulong i) {
  return as_float16(convert_uint16(vload16(0, (__global const ushort*)p + i)) << 16);
}

static inline void store_f32(MutableBytes p, ulong i, float value) { ((__global float*)p)[i] = value; }
// One NaN stands for all: payloads may not fit, and all ones is what memory that nobody wrote is filled with.
static inline void store_f16(MutableBytes p, ulong i, float value) {
  vstore_half_rte(isnan(value) ? NAN : value, i, (__global half*)p);
}
static inline void store_bf16(MutableBytes p, ulong i, float value) {
  const uint bits = as_uint(value);
  const uint rounded = isnan(value) ? (bits >> 16) | 0x40u : (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  ((__global ushort*)p)[i] = (ushort)rounded;
}

static inline void store16_f32(MutableBytes p, ulong i, float16 value) { vstore16(value, 0, (__global float*)p + i); }
static inline void store16_f16(MutableBytes p, ulong i, float16 value) {
  vstore_half16_rte(value, 0, (__global half*)p + i);
}

static inline float sum16(float16 v) {
  const float8 a = v.lo + v.hi;
  const float4 b = a.lo + a.hi;
  const float2 c = b.lo + b.hi;
  return c.x + c.y;
}
