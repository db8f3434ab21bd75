// y = x rotated, a head a group.
#include "backends/opencl/cl/lanes.cl"
#include "backends/opencl/cl/rotation.cl"
#include "backends/opencl/cl/types.cl"

static inline void rope_head(Bytes x, ulong x_row, MutableBytes y, ulong y_row, uint d, Rotation r, int position) {
  for (uint i = LANE; i < d; i += LANES) {
    if (!rotates(r, i)) STORE(Y_TYPE, y, y_row + i, LOAD(X_TYPE, x, x_row + i));
  }
  for (uint j = LANE; j < r.pairs; j += LANES) {
    const uint first = FIRST_OF(j);
    const uint second = SECOND_OF(j, r.pair_offset);
    const float a = LOAD(X_TYPE, x, x_row + first);
    const float b = LOAD(X_TYPE, x, x_row + second);
    const float2 cs = cos_sin(r, position, j);
    STORE(Y_TYPE, y, y_row + first, a * cs.x - b * cs.y);
    STORE(Y_TYPE, y, y_row + second, a * cs.y + b * cs.x);
  }
}

GROUP_KERNEL void rope(Bytes x, ulong x_at, Bytes positions, ulong positions_at, Bytes turns, ulong turns_at,
                       MutableBytes y, ulong y_at, uint d, ulong x_token, ulong x_head, ulong y_token, ulong y_head,
                       uint pairs, uint pair_offset, float magnitude) {
  const ulong head = get_global_id(1);
  const ulong t = get_global_id(2);
  const Rotation r = {(__global const ulong*)(turns + turns_at), pairs, pair_offset, magnitude};
  const int position = ((__global const int*)(positions + positions_at))[t];
  rope_head(x + x_at, t * x_token + head * x_head, y + y_at, t * y_token + head * y_head, d, r, position);
}
