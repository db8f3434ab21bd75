// Rows copied as they are stored, NEIGHBOURS units a work-item.
#include "backends/opencl/cl/rows.cl"
#include "backends/opencl/cl/types.cl"

GROUP_KERNEL void copy_rows(Bytes x, ulong x_at, MutableBytes y, ulong y_at, uint units, uint n1, uint n2, ulong x0,
                            ulong x1, ulong x2, ulong y0, ulong y1, ulong y2) {
  const Row row = row_of(get_global_id(1), n1, n2);
  __global const UNIT* from = (__global const UNIT*)(x + x_at + row_start(row, x0, x1, x2));
  __global UNIT* to = (__global UNIT*)(y + y_at + row_start(row, y0, y1, y2));
  const uint begin = NEIGHBOURS * get_global_id(0);
  const uint end = min(begin + NEIGHBOURS, units);
  for (uint i = begin; i < end; ++i) to[i] = from[i];
}
