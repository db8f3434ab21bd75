// sum = a + b; y = sum / rms(sum) * (weight + offset), a row a group.
#include "backends/opencl/cl/norm.cl"

static inline void add_rms_norm_row(Bytes a, ulong a_row, Bytes b, ulong b_row, Bytes weight, MutableBytes sum,
                                    ulong sum_row, MutableBytes y, ulong y_row, uint width, float eps, float offset,
                                    __local float* shared) {
  float squares = 0;
  // A lane reads back only what it wrote itself.
  for (uint i = LANE; i < width; i += LANES) {
    STORE(Y_TYPE, sum, sum_row + i, LOAD(A_TYPE, a, a_row + i) + LOAD(B_TYPE, b, b_row + i));
    const float v = LOAD(Y_TYPE, (Bytes)sum, sum_row + i);
    squares += v * v;
  }
  const float factor = norm_factor(lanes_sum(squares, shared), width, eps);
  for (uint i = LANE; i < width; i += LANES) {
    STORE(Y_TYPE, y, y_row + i, LOAD(Y_TYPE, (Bytes)sum, sum_row + i) * factor * norm_gain(weight, i, offset));
  }
}

GROUP_KERNEL void add_rms_norm(Bytes a, ulong a_at, Bytes b, ulong b_at, Bytes weight, ulong weight_at,
                               MutableBytes sum, ulong sum_at, MutableBytes y, ulong y_at, uint width, ulong a_stride,
                               ulong b_stride, ulong sum_stride, ulong y_stride, float eps, float offset) {
  __local float shared[LANES];
  const ulong t = get_global_id(1);
  add_rms_norm_row(a + a_at, t * a_stride, b + b_at, t * b_stride, weight ? weight + weight_at : 0, sum + sum_at,
                   t * sum_stride, y + y_at, t * y_stride, width, eps, offset, shared);
}
