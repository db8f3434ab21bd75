// The kernel that attention variants share: a group finds its token, head and visible keys, then attends as the
// including file says.
GROUP_KERNEL void attention(Bytes q, ulong q_at, Bytes positions, ulong positions_at, Bytes sequences,
                            ulong sequences_at, Bytes table, ulong table_at, Bytes lengths, ulong lengths_at,
                            Bytes cache, ulong cache_at, Bytes sinks, ulong sinks_at, MutableBytes y, ulong y_at,
                            ulong v_plane, uint heads, uint kv_heads, ulong q_token, ulong q_head, ulong table_stride,
                            ulong y_token, ulong y_head, float scale, float softcap, int window) {
  ATTEND_LOCAL
  const uint head = get_group_id(0);
  const ulong t = get_global_id(1);
  const int position = ((__global const int*)(positions + positions_at))[t];
  const int sequence = ((__global const int*)(sequences + sequences_at))[t];
  const int length = ((__global const int*)(lengths + lengths_at))[sequence];
  const ulong slot = ((__global const int*)(table + table_at))[sequence * table_stride];
  const int end = min(position + 1, length);
  const int begin = window > 0 ? max(0, position - window + 1) : 0;
  const uint kv_head = head / (heads / kv_heads);
  const Scores scores = {scale, softcap};
  attend(q + q_at, t * q_token + head * q_head, cache + cache_at, cache + cache_at + v_plane, kv_heads,
         slot * kv_heads + kv_head, begin, end, scores, sinks ? load_f32(sinks + sinks_at, head) : -INFINITY, y + y_at,
         t * y_token + head * y_head ATTEND_MEMORY);
}
