// y = F(a, b) over up to four dimensions with strides. F is -D'd by the op's own file; b has stride 0 where it is
// broadcast, and is a itself for ops of one operand. One work-item makes NEIGHBOURS elements of a row.
#include "backends/opencl/cl/rows.cl"
#include "backends/opencl/cl/types.cl"

static inline void elementwise_unit(Bytes a, ulong a_row, Bytes b, ulong b_row, MutableBytes y, ulong y_row, uint begin,
                                    uint width) {
  const uint end = min(begin + NEIGHBOURS, width);
  for (uint i = begin; i < end; ++i) {
    STORE(Y_TYPE, y, y_row + i, F(LOAD(A_TYPE, a, a_row + i), LOAD(B_TYPE, b, b_row + i)));
  }
}

GROUP_KERNEL void elementwise(Bytes a, ulong a_at, Bytes b, ulong b_at, MutableBytes y, ulong y_at, uint width, uint n1,
                              uint n2, ulong a0, ulong a1, ulong a2, ulong b0, ulong b1, ulong b2, ulong y0, ulong y1,
                              ulong y2) {
  const Row row = row_of(get_global_id(1), n1, n2);
  elementwise_unit(a + a_at, row_start(row, a0, a1, a2), b + b_at, row_start(row, b0, b1, b2), y + y_at,
                   row_start(row, y0, y1, y2), NEIGHBOURS * get_global_id(0), width);
}
