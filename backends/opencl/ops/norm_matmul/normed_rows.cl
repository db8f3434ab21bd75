// y_i = norm(x) * w_i^T + bias_i for up to three weights of one type, a token at a time: the norm is part of the dot
// products, and one launch makes q, k and v. A group makes ROWS results of one weight.
#include "backends/opencl/cl/normed_row_sums.cl"

typedef struct {
  Weights w;
  Bytes bias;
  MutableBytes y;
  ulong y_stride;
} Target;

static inline void normed_rows(Target to, Bytes x, ulong x_row, Norm norm, uint k, uint n0, ulong t,
                               __local float* shared) {
  float sums[ROWS + 1];
  NORMED_ROW_SUMS(W_TYPE, X_TYPE, to.w, n0, x, x_row, norm, k, sums)
  lanes_sums(sums, ROWS + 1, shared);
  const float factor = normed_factor(norm, sums[ROWS], k);
  for (uint r = LANE; r < ROWS; r += LANES) {
    const uint n = n0 + r;
    if (n < to.w.rows) {
      STORE(Y_TYPE, to.y, t * to.y_stride + n, sums[r] * factor + (to.bias ? load_f32(to.bias, n) : 0.0f));
    }
  }
}

#define GROUPS_OF(n) (((n) + ROWS - 1) / ROWS)

GROUP_KERNEL void norm_matmul(Bytes x, ulong x_at, Bytes gain, ulong gain_at, Bytes w0, ulong w0_at, Bytes b0,
                              ulong b0_at, MutableBytes y0, ulong y0_at, Bytes w1, ulong w1_at, Bytes b1, ulong b1_at,
                              MutableBytes y1, ulong y1_at, Bytes w2, ulong w2_at, Bytes b2, ulong b2_at,
                              MutableBytes y2, ulong y2_at, uint k, ulong x_stride, float eps, float offset, uint n0,
                              ulong planes0, ulong w_stride0, ulong y_stride0, uint n1, ulong planes1, ulong w_stride1,
                              ulong y_stride1, uint n2, ulong planes2, ulong w_stride2, ulong y_stride2) {
  __local float shared[SUMS_SHARED(ROWS + 1)];
  const ulong t = get_group_id(1);
  uint group = get_group_id(0);
  Target to = {{w0 + w0_at, planes0, w_stride0, n0}, b0 ? b0 + b0_at : 0, y0 + y0_at, y_stride0};
  if (group >= GROUPS_OF(n0)) {
    group -= GROUPS_OF(n0);
    if (group < GROUPS_OF(n1)) {
      to.w.data = w1 + w1_at;
      to.w.planes = planes1;
      to.w.stride = w_stride1;
      to.w.rows = n1;
      to.bias = b1 ? b1 + b1_at : 0;
      to.y = y1 + y1_at;
      to.y_stride = y_stride1;
    } else {
      group -= GROUPS_OF(n1);
      to.w.data = w2 + w2_at;
      to.w.planes = planes2;
      to.w.stride = w_stride2;
      to.w.rows = n2;
      to.bias = b2 ? b2 + b2_at : 0;
      to.y = y2 + y2_at;
      to.y_stride = y_stride2;
    }
  }
  const Norm norm = {gain + gain_at, eps, offset};
  normed_rows(to, x + x_at, t * x_stride, norm, k, ROWS * group, t, shared);
}
