// y[t] = scale * table[ids[t]], from the table's stored type.
#include "backends/opencl/cl/weights.cl"

// 16 neighbours of a row.
static inline void embed_unit(Bytes w, ulong planes, ulong row, MutableBytes y, ulong y_row, uint unit, uint width,
                              float scale) {
#if W_PLAIN
  if (16 * unit + 16 > width) {
    for (uint i = 16 * unit; i < width; ++i) STORE(Y_TYPE, y, y_row + i, scale * DECODE1(W_TYPE, w, row, i));
    return;
  }
#endif
  STORE16(Y_TYPE, y, y_row + 16 * unit, scale * DECODE16(W_TYPE, w, planes, row, unit));
}

GROUP_KERNEL void embed(Bytes ids, ulong ids_at, Bytes w, ulong w_at, MutableBytes y, ulong y_at, uint width,
                        ulong planes, ulong w_stride, ulong y_stride, float scale) {
  const ulong t = get_global_id(1);
  if (16 * get_global_id(0) >= width) return;
  const int id = ((__global const int*)(ids + ids_at))[t];
  embed_unit(w + w_at, planes, id * w_stride, y + y_at, t * y_stride, get_global_id(0), width, scale);
}
