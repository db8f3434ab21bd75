// Per token: heads of q normed and rotated; heads of k normed, rotated and put into the cache; heads of v put into the
// cache. A head a group: q heads first, then k, then v.
#include "backends/opencl/cl/norm.cl"
#include "backends/opencl/cl/rotation.cl"

typedef struct {
  Bytes weight;  // null = no norm
  float eps;
  float offset;
} Norm;

#define HEAD_FACTOR(type, x, row, d, norm, result, shared)           \
  float result = 1.0f;                                               \
  if ((norm).weight) {                                               \
    float squares;                                                   \
    LANE_SQUARES(type, x, row, d, squares)                           \
    result = norm_factor(lanes_sum(squares, shared), d, (norm).eps); \
  }

// to[to_row …] = rotated(normed(from[from_row …]))
#define NORM_ROPE_HEAD(FROM, TO, from, from_row, to, to_row, d, norm, r, position, shared)                            \
  {                                                                                                                   \
    HEAD_FACTOR(FROM, from, from_row, d, norm, factor, shared)                                                        \
    for (uint i = LANE; i < (d); i += LANES) {                                                                        \
      if (!rotates(r, i)) {                                                                                           \
        STORE(TO, to, (to_row) + i,                                                                                   \
              LOAD(FROM, from, (from_row) + i) * factor * norm_gain((norm).weight, i, (norm).offset));                \
      }                                                                                                               \
    }                                                                                                                 \
    for (uint j = LANE; j < (r).pairs; j += LANES) {                                                                  \
      const uint first = FIRST_OF(j);                                                                                 \
      const uint second = SECOND_OF(j, (r).pair_offset);                                                              \
      const float a = LOAD(FROM, from, (from_row) + first) * factor * norm_gain((norm).weight, first, (norm).offset); \
      const float b =                                                                                                 \
          LOAD(FROM, from, (from_row) + second) * factor * norm_gain((norm).weight, second, (norm).offset);           \
      const float2 cs = cos_sin(r, position, j);                                                                      \
      STORE(TO, to, (to_row) + first, a * cs.x - b * cs.y);                                                           \
      STORE(TO, to, (to_row) + second, a * cs.y + b * cs.x);                                                          \
    }                                                                                                                 \
  }

GROUP_KERNEL void qk_norm_rope_append(Bytes q, ulong q_at, Bytes k, ulong k_at, Bytes v, ulong v_at, Bytes q_norm,
                                      ulong q_norm_at, Bytes k_norm, ulong k_norm_at, Bytes positions,
                                      ulong positions_at, Bytes sequences, ulong sequences_at, Bytes table,
                                      ulong table_at, MutableBytes cache, ulong cache_at, Bytes turns, ulong turns_at,
                                      MutableBytes y, ulong y_at, ulong v_plane, uint heads, uint kv_heads, uint dk,
                                      uint dv, ulong q_token, ulong q_head, ulong k_token, ulong k_head, ulong v_token,
                                      ulong v_head, ulong table_stride, ulong y_token, ulong y_head, uint pairs,
                                      uint pair_offset, float magnitude, float eps, float offset) {
  __local float shared[LANES];
  const uint head = get_group_id(1);
  const ulong t = get_group_id(2);
  const Rotation r = {(__global const ulong*)(turns + turns_at), pairs, pair_offset, magnitude};
  const int position = ((__global const int*)(positions + positions_at))[t];
  const int sequence = ((__global const int*)(sequences + sequences_at))[t];
  const long slot = ((__global const int*)(table + table_at))[sequence * table_stride] + (long)position;
  if (head < heads) {
    const Norm norm = {q_norm ? q_norm + q_norm_at : 0, eps, offset};
    NORM_ROPE_HEAD(Q_TYPE, Y_TYPE, q + q_at, t * q_token + head * q_head, y + y_at, t * y_token + head * y_head, dk,
                   norm, r, position, shared)
  } else if (head < heads + kv_heads) {
    const uint h = head - heads;
    const Norm norm = {k_norm ? k_norm + k_norm_at : 0, eps, offset};
    NORM_ROPE_HEAD(K_TYPE, K_CACHE, k + k_at, t * k_token + h * k_head, cache + cache_at, (slot * kv_heads + h) * dk,
                   dk, norm, r, position, shared)
  } else {
    const uint h = head - heads - kv_heads;
    for (uint i = LANE; i < dv; i += LANES) {
      STORE(V_CACHE, cache + cache_at + v_plane, (slot * kv_heads + h) * dv + i,
            LOAD(V_TYPE, v + v_at, t * v_token + h * v_head + i));
    }
  }
}
