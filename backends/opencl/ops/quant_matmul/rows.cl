// y = epilogue(x * w^T): a group makes ROWS x TOKENS results, reading ROWS rows of packed weights once.
#include "backends/opencl/cl/epilogue.cl"
#include "backends/opencl/cl/row_sums.cl"

static inline void matmul_rows(Weights w, Rows x, MutableBytes y, ulong y_stride, uint k, Epilogue e, uint n0, uint t0,
                               __local float* shared) {
  float sums[PAIRS];
  ROW_SUMS(W_TYPE, X_TYPE, w, n0, x, t0, k, sums)
  lanes_sums(sums, PAIRS, shared);
  for (uint p = LANE; p < PAIRS; p += LANES) {
    const uint n = n0 + p / TOKENS;
    const uint t = t0 + p % TOKENS;
    if (n < w.rows && t < x.rows) STORE(Y_TYPE, y, t * y_stride + n, finish(e, sums[p], n, t));
  }
}

GROUP_KERNEL void matmul(Bytes x, ulong x_at, Bytes w, ulong w_at, Bytes bias, ulong bias_at, Bytes residual,
                         ulong residual_at, MutableBytes y, ulong y_at, uint tokens, uint n, uint k, ulong x_stride,
                         ulong planes, ulong w_stride, ulong residual_stride, ulong y_stride, float scale,
                         float softcap) {
  __local float shared[SUMS_SHARED(PAIRS)];
  const Weights weights = {w + w_at, planes, w_stride, n};
  const Rows rows = {x + x_at, x_stride, tokens};
  const Epilogue epilogue = {bias ? bias + bias_at : 0, residual ? residual + residual_at : 0, residual_stride, scale,
                             softcap};
  matmul_rows(weights, rows, y + y_at, y_stride, k, epilogue, ROWS * get_group_id(0), TOKENS * get_group_id(1), shared);
}
