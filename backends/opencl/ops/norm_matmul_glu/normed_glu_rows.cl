// y = act(norm(x) * gate^T + gate_bias) * (norm(x) * up^T + up_bias), a token at a time, the norm within the products.
#include "backends/opencl/cl/activations.cl"
#include "backends/opencl/cl/normed_row_sums.cl"

static inline void normed_glu_rows(Weights gate, Bytes gate_bias, Weights up, Bytes up_bias, Bytes x, ulong x_row,
                                   Norm norm, uint k, uint n0, MutableBytes y, ulong y_row, __local float* shared) {
  float sums[2 * ROWS + 2];
  float* ups = sums + ROWS + 1;
  NORMED_ROW_SUMS(W_TYPE, X_TYPE, gate, n0, x, x_row, norm, k, sums)
  NORMED_ROW_SUMS(W_TYPE, X_TYPE, up, n0, x, x_row, norm, k, ups)
  lanes_sums(sums, 2 * ROWS + 2, shared);
  const float factor = normed_factor(norm, sums[ROWS], k);
  for (uint r = LANE; r < ROWS; r += LANES) {
    const uint n = n0 + r;
    if (n < gate.rows) {
      const float g = sums[r] * factor + (gate_bias ? load_f32(gate_bias, n) : 0.0f);
      const float u = ups[r] * factor + (up_bias ? load_f32(up_bias, n) : 0.0f);
      STORE(Y_TYPE, y, y_row + n, ACTIVATE(ACTIVATION, g) * u);
    }
  }
}

GROUP_KERNEL void norm_matmul_glu(Bytes x, ulong x_at, Bytes gain, ulong gain_at, Bytes gate, ulong gate_at,
                                  Bytes gate_bias, ulong gate_bias_at, Bytes up, ulong up_at, Bytes up_bias,
                                  ulong up_bias_at, MutableBytes y, ulong y_at, uint n, uint k, ulong x_stride,
                                  float eps, float offset, ulong gate_planes, ulong gate_stride, ulong up_planes,
                                  ulong up_stride, ulong y_stride) {
  __local float shared[SUMS_SHARED(2 * ROWS + 2)];
  const ulong t = get_group_id(1);
  const Weights gates = {gate + gate_at, gate_planes, gate_stride, n};
  const Weights ups = {up + up_at, up_planes, up_stride, n};
  const Norm norm = {gain + gain_at, eps, offset};
  normed_glu_rows(gates, gate_bias ? gate_bias + gate_bias_at : 0, ups, up_bias ? up_bias + up_bias_at : 0, x + x_at,
                  t * x_stride, norm, k, ROWS * get_group_id(0), y + y_at, t * y_stride, shared);
}
