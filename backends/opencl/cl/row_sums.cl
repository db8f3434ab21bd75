// Dot products of ROWS weight rows with TOKENS activation rows by the LANES work-items of a group.
// sums[r * TOKENS + t] = this lane's part of sum_k w[n0 + r, k] * x[t0 + t, k]; rows and tokens beyond the end repeat
// the last one.
#include "backends/opencl/cl/lane_sums.cl"
#include "backends/opencl/cl/matmul_operands.cl"

#define PAIRS (ROWS * TOKENS)

// Each lane takes every LANES-th group of 32 elements, both halves at once: 4- and 5-bit formats keep them in the same
// bytes.
#define ROW_SUMS(W_TYPE, X_TYPE, w, n0, x, t0, k, sums)                                                              \
  {                                                                                                                  \
    ulong w_rows[ROWS], x_rows[TOKENS];                                                                              \
    float16 parts[PAIRS];                                                                                            \
    for (uint r = 0; r < ROWS; ++r) w_rows[r] = min((n0) + r, (w).rows - 1) * (w).stride;                            \
    for (uint t = 0; t < TOKENS; ++t) x_rows[t] = min((t0) + t, (x).rows - 1) * (x).stride;                          \
    for (uint p = 0; p < PAIRS; ++p) parts[p] = 0;                                                                   \
    const uint units = (k) / 32;                                                                                     \
    for (uint u = LANE; u < units; u += LANES) {                                                                     \
      for (uint r = 0; r < ROWS; ++r) {                                                                              \
        const float16 w0 = DECODE16(W_TYPE, (w).data, (w).planes, w_rows[r], 2 * u);                                 \
        const float16 w1 = DECODE16(W_TYPE, (w).data, (w).planes, w_rows[r], 2 * u + 1);                             \
        for (uint t = 0; t < TOKENS; ++t) {                                                                          \
          parts[r * TOKENS + t] = mad(w0, LOAD16(X_TYPE, (x).data, x_rows[t] + 32 * u), parts[r * TOKENS + t]);      \
          parts[r * TOKENS + t] = mad(w1, LOAD16(X_TYPE, (x).data, x_rows[t] + 32 * u + 16), parts[r * TOKENS + t]); \
        }                                                                                                            \
      }                                                                                                              \
    }                                                                                                                \
    for (uint p = 0; p < PAIRS; ++p) sums[p] = sum16(parts[p]);                                                      \
    ROW_SUMS_TAIL(W_TYPE, X_TYPE, w, w_rows, x, x_rows, k, sums)                                                     \
  }
#if W_PLAIN
#define ROW_SUMS_TAIL(W_TYPE, X_TYPE, w, w_rows, x, x_rows, k, sums)                                           \
  for (uint i = 32 * units + LANE; i < (k); i += LANES) {                                                      \
    for (uint r = 0; r < ROWS; ++r) {                                                                          \
      const float value = DECODE1(W_TYPE, (w).data, w_rows[r], i);                                             \
      for (uint t = 0; t < TOKENS; ++t) sums[r * TOKENS + t] += value * LOAD(X_TYPE, (x).data, x_rows[t] + i); \
    }                                                                                                          \
  }
#else
#define ROW_SUMS_TAIL(W_TYPE, X_TYPE, w, w_rows, x, x_rows, k, sums)
#endif
