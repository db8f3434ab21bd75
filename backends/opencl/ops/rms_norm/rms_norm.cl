// y = x / rms(x) * (weight + offset), a row a group.
#include "backends/opencl/cl/norm.cl"
#include "backends/opencl/cl/rows.cl"

static inline void rms_norm_row(Bytes x, ulong x_row, Bytes weight, MutableBytes y, ulong y_row, uint width, float eps,
                                float offset, __local float* shared) {
  float squares;
  LANE_SQUARES(X_TYPE, x, x_row, width, squares)
  const float factor = norm_factor(lanes_sum(squares, shared), width, eps);
  for (uint i = LANE; i < width; i += LANES) {
    STORE(Y_TYPE, y, y_row + i, LOAD(X_TYPE, x, x_row + i) * factor * norm_gain(weight, i, offset));
  }
}

GROUP_KERNEL void rms_norm(Bytes x, ulong x_at, Bytes weight, ulong weight_at, MutableBytes y, ulong y_at, uint width,
                           uint n1, uint n2, ulong x0, ulong x1, ulong x2, ulong y0, ulong y1, ulong y2, float eps,
                           float offset) {
  __local float shared[LANES];
  const Row row = row_of(get_global_id(1), n1, n2);
  rms_norm_row(x + x_at, row_start(row, x0, x1, x2), weight ? weight + weight_at : 0, y + y_at,
               row_start(row, y0, y1, y2), width, eps, offset, shared);
}
