// y = act(x * gate^T + gate_bias) * (x * up^T + up_bias): as ops/quant_matmul/rows.cl, for two weights at once.
#include "backends/opencl/cl/activations.cl"
#include "backends/opencl/cl/row_sums.cl"

typedef struct {
  Bytes gate;
  Bytes up;
} Biases;

static inline void matmul_glu_rows(Weights gate, Weights up, Rows x, MutableBytes y, ulong y_stride, uint k,
                                   Biases bias, uint n0, uint t0, __local float* shared) {
  float sums[2 * PAIRS];
  float* ups = sums + PAIRS;
  ROW_SUMS(W_TYPE, X_TYPE, gate, n0, x, t0, k, sums)
  ROW_SUMS(W_TYPE, X_TYPE, up, n0, x, t0, k, ups)
  lanes_sums(sums, 2 * PAIRS, shared);
  for (uint p = LANE; p < PAIRS; p += LANES) {
    const uint n = n0 + p / TOKENS;
    const uint t = t0 + p % TOKENS;
    if (n < gate.rows && t < x.rows) {
      const float g = sums[p] + (bias.gate ? load_f32(bias.gate, n) : 0.0f);
      const float u = ups[p] + (bias.up ? load_f32(bias.up, n) : 0.0f);
      STORE(Y_TYPE, y, t * y_stride + n, ACTIVATE(ACTIVATION, g) * u);
    }
  }
}

GROUP_KERNEL void matmul_glu(Bytes x, ulong x_at, Bytes gate, ulong gate_at, Bytes gate_bias, ulong gate_bias_at,
                             Bytes up, ulong up_at, Bytes up_bias, ulong up_bias_at, MutableBytes y, ulong y_at,
                             uint tokens, uint n, uint k, ulong x_stride, ulong gate_planes, ulong gate_stride,
                             ulong up_planes, ulong up_stride, ulong y_stride) {
  __local float shared[SUMS_SHARED(2 * PAIRS)];
  const Weights gates = {gate + gate_at, gate_planes, gate_stride, n};
  const Weights ups = {up + up_at, up_planes, up_stride, n};
  const Rows rows = {x + x_at, x_stride, tokens};
  const Biases biases = {gate_bias ? gate_bias + gate_bias_at : 0, up_bias ? up_bias + up_bias_at : 0};
  matmul_glu_rows(gates, ups, rows, y + y_at, y_stride, k, biases, ROWS * get_group_id(0), TOKENS * get_group_id(1),
                  shared);
}
