// The step's keys and values into the cache: a head of k (first) or v a group.
#include "backends/opencl/cl/lanes.cl"
#include "backends/opencl/cl/types.cl"

GROUP_KERNEL void kv_append(Bytes k, ulong k_at, Bytes v, ulong v_at, Bytes positions, ulong positions_at,
                            Bytes sequences, ulong sequences_at, Bytes table, ulong table_at, MutableBytes cache,
                            ulong cache_at, ulong v_plane, uint kv_heads, uint dk, uint dv, ulong k_token, ulong k_head,
                            ulong v_token, ulong v_head, ulong table_stride) {
  const uint head = get_global_id(1);
  const ulong t = get_global_id(2);
  const int sequence = ((__global const int*)(sequences + sequences_at))[t];
  const long slot = ((__global const int*)(table + table_at))[sequence * table_stride] +
                    (long)((__global const int*)(positions + positions_at))[t];
  if (head < kv_heads) {
    for (uint i = LANE; i < dk; i += LANES) {
      STORE(K_CACHE, cache + cache_at, (slot * kv_heads + head) * dk + i,
            LOAD(K_TYPE, k + k_at, t * k_token + head * k_head + i));
    }
  } else {
    const uint h = head - kv_heads;
    for (uint i = LANE; i < dv; i += LANES) {
      STORE(V_CACHE, cache + cache_at + v_plane, (slot * kv_heads + h) * dv + i,
            LOAD(V_TYPE, v + v_at, t * v_token + h * v_head + i));
    }
  }
}
