// Index of the largest element of each row, the lowest one of equals; -1 where a row holds a NaN. A row a group.
#include "backends/opencl/cl/lanes.cl"
#include "backends/opencl/cl/types.cl"

GROUP_KERNEL void argmax(Bytes x, ulong x_at, MutableBytes y, ulong y_at, uint width, ulong x_stride) {
  __local float best_values[LANES];
  __local int best_indices[LANES];
  x += x_at;
  const ulong row = get_global_id(1);
  float best = -INFINITY;
  int at = INT_MAX;
  int has_nan = 0;
  for (uint i = LANE; i < width; i += LANES) {
    const float v = LOAD(X_TYPE, x, row * x_stride + i);
    has_nan |= isnan(v);
    if (v > best || at == INT_MAX) {
      best = v;
      at = (int)i;
    }
  }
  best_values[LANE] = best;
  best_indices[LANE] = has_nan ? -1 : at;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (LANE == 0) {
    for (uint lane = 1; lane < LANES; ++lane) {
      const int other = best_indices[lane];
      if (other < 0) at = -1, has_nan = 1;
      if (has_nan) continue;
      if (best_values[lane] > best || (best_values[lane] == best && other < at)) {
        best = best_values[lane];
        at = other;
      }
    }
    ((__global int*)(y + y_at))[row] = has_nan ? -1 : at;
  }
}
