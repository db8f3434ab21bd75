// Dot products of ROWS weight rows with one normed activation row, the norm included: while a lane walks its part of
// the row, it also sums the squares, and the factor that they give is applied to the finished sums.
// sums[r] = this lane's part of sum_k w[n0 + r, k] * x[k] * (gain[k] + offset); sums[ROWS] = of sum_k x[k]^2.
#include "backends/opencl/cl/lane_sums.cl"
#include "backends/opencl/cl/matmul_operands.cl"

typedef struct {
  Bytes gain;
  float eps;
  float offset;
} Norm;

#define NORMED_ROW_SUMS(W_TYPE, X_TYPE, w, n0, x, x_row, norm, k, sums)                             \
  {                                                                                                 \
    ulong w_rows[ROWS];                                                                             \
    float16 parts[ROWS];                                                                            \
    float16 squares = 0;                                                                            \
    for (uint r = 0; r < ROWS; ++r) w_rows[r] = min((n0) + r, (w).rows - 1) * (w).stride;           \
    for (uint r = 0; r < ROWS; ++r) parts[r] = 0;                                                   \
    const uint units = (k) / 32;                                                                    \
    for (uint u = LANE; u < units; u += LANES) {                                                    \
      float16 x0 = LOAD16(X_TYPE, x, (x_row) + 32 * u);                                             \
      float16 x1 = LOAD16(X_TYPE, x, (x_row) + 32 * u + 16);                                        \
      squares = mad(x0, x0, mad(x1, x1, squares));                                                  \
      x0 *= load16_f32((norm).gain, 32 * u) + (norm).offset;                                        \
      x1 *= load16_f32((norm).gain, 32 * u + 16) + (norm).offset;                                   \
      for (uint r = 0; r < ROWS; ++r) {                                                             \
        parts[r] = mad(DECODE16(W_TYPE, (w).data, (w).planes, w_rows[r], 2 * u), x0, parts[r]);     \
        parts[r] = mad(DECODE16(W_TYPE, (w).data, (w).planes, w_rows[r], 2 * u + 1), x1, parts[r]); \
      }                                                                                             \
    }                                                                                               \
    for (uint r = 0; r < ROWS; ++r) sums[r] = sum16(parts[r]);                                      \
    sums[ROWS] = sum16(squares);                                                                    \
    NORMED_TAIL(W_TYPE, X_TYPE, w, w_rows, x, x_row, norm, k, sums)                                 \
  }
#if W_PLAIN
#define NORMED_TAIL(W_TYPE, X_TYPE, w, w_rows, x, x_row, norm, k, sums)                          \
  for (uint i = 32 * units + LANE; i < (k); i += LANES) {                                        \
    const float value = LOAD(X_TYPE, x, (x_row) + i);                                            \
    const float scaled = value * (load_f32((norm).gain, i) + (norm).offset);                     \
    sums[ROWS] += value * value;                                                                 \
    for (uint r = 0; r < ROWS; ++r) sums[r] += DECODE1(W_TYPE, (w).data, w_rows[r], i) * scaled; \
  }
#else
#define NORMED_TAIL(W_TYPE, X_TYPE, w, w_rows, x, x_row, norm, k, sums)
#endif

static inline float normed_factor(Norm norm, float squares, uint k) { return 1.0f / sqrt(squares / k + norm.eps); }
