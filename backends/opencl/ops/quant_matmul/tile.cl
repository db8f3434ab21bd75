// y = epilogue(x * w^T) for many tokens: a group of SIDE x SIDE items makes a tile of 4 SIDE tokens by 4 SIDE rows of
// w, staging 32 elements of K at a time in local memory; weights are decoded while they are staged. An item makes 4
// x 4.
#include "backends/opencl/cl/epilogue.cl"
#include "backends/opencl/cl/lanes.cl"
#include "backends/opencl/cl/matmul_operands.cl"

#define TILE (4 * SIDE)
#define STEP 32
#define PITCH (TILE + 4)

// 16 neighbours of a row of x, zeros beyond K.
static inline float16 stage_x(Rows x, uint t, uint k, uint at) {
  const ulong row = min(t, x.rows - 1) * x.stride;
  if (at + 16 <= k) return LOAD16(X_TYPE, x.data, row + at);
  float padded[16];
  for (uint i = 0; i < 16; ++i) padded[i] = at + i < k ? LOAD(X_TYPE, x.data, row + at + i) : 0.0f;
  return vload16(0, padded);
}
static inline float16 stage_w(Weights w, uint n, uint k, uint at) {
  const ulong row = min(n, w.rows - 1) * w.stride;
#if W_PLAIN
  if (at + 16 > k) {
    float padded[16];
    for (uint i = 0; i < 16; ++i) padded[i] = at + i < k ? DECODE1(W_TYPE, w.data, row, at + i) : 0.0f;
    return vload16(0, padded);
  }
#endif
  return DECODE16(W_TYPE, w.data, w.planes, row, at / 16);
}

static inline void matmul_tile(Weights w, Rows x, MutableBytes y, ulong y_stride, uint k, Epilogue e, uint n0, uint t0,
                               __local float* xs, __local float* ws) {
  const uint row = LANE / SIDE;
  const uint column = LANE % SIDE;
  float4 sums[4] = {0, 0, 0, 0};
  for (uint at = 0; at < k; at += STEP) {
    // 2 units of 16 for each of TILE tokens, then for each of TILE weight rows.
    for (uint u = LANE; u < 4 * TILE; u += LANES) {
      const uint line = u / 2 % TILE;
      const uint begin = at + 16 * (u & 1);
      float values[16];
      vstore16(u < 2 * TILE ? stage_x(x, t0 + line, k, begin) : stage_w(w, n0 + line, k, begin), 0, values);
      __local float* to = (u < 2 * TILE ? xs : ws) + 16 * (u & 1) * PITCH + line;
      for (uint i = 0; i < 16; ++i) to[i * PITCH] = values[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < STEP; ++i) {
      const float4 a = vload4(0, xs + i * PITCH + 4 * row);
      const float4 b = vload4(0, ws + i * PITCH + 4 * column);
      sums[0] = mad(a.x, b, sums[0]);
      sums[1] = mad(a.y, b, sums[1]);
      sums[2] = mad(a.z, b, sums[2]);
      sums[3] = mad(a.w, b, sums[3]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < 4; ++i) {
    const uint t = t0 + 4 * row + i;
    float values[4];
    vstore4(sums[i], 0, values);
    for (uint j = 0; j < 4; ++j) {
      const uint n = n0 + 4 * column + j;
      if (t < x.rows && n < w.rows) STORE(Y_TYPE, y, t * y_stride + n, finish(e, values[j], n, t));
    }
  }
}

GROUP_KERNEL void matmul(Bytes x, ulong x_at, Bytes w, ulong w_at, Bytes bias, ulong bias_at, Bytes residual,
                         ulong residual_at, MutableBytes y, ulong y_at, uint tokens, uint n, uint k, ulong x_stride,
                         ulong planes, ulong w_stride, ulong residual_stride, ulong y_stride, float scale,
                         float softcap) {
  __local float xs[STEP * PITCH];
  __local float ws[STEP * PITCH];
  const Weights weights = {w + w_at, planes, w_stride, n};
  const Rows rows = {x + x_at, x_stride, tokens};
  const Epilogue epilogue = {bias ? bias + bias_at : 0, residual ? residual + residual_at : 0, residual_stride, scale,
                             softcap};
  matmul_tile(weights, rows, y + y_at, y_stride, k, epilogue, TILE * get_group_id(0), TILE * get_group_id(1), xs, ws);
}
