// Attention of one query head of one token by one work-item: one pass over the visible keys with a running maximum.
// DK and DV are widths of a head; UNITS(n) vectors of 16 hold them, padded with zeros.
#include "backends/opencl/cl/types.cl"

#define UNITS(n) (((n) + 15) / 16)

// Elements 16 * u … of a row of n elements, zeros beyond its end.
#define LOAD_PADDED(type, p, row, u, n, result)                                                   \
  if (16 * (u) + 16 <= (n)) {                                                                     \
    result = LOAD16(type, p, (row) + 16 * (u));                                                   \
  } else {                                                                                        \
    float padded[16];                                                                             \
    for (uint i = 0; i < 16; ++i) padded[i] = 16 * (u) + i < (n) ? LOAD(type, p, (row) + 16 * (u) + i) : 0.0f; \
    result = vload16(0, padded);                                                                  \
  }

typedef struct {
  float scale;
  float softcap;   // 0 = none
  int window;      // 0 = all
} Scores;

static inline float score_of(Scores s, float dot_product) {
  const float score = s.scale * dot_product;
  return s.softcap > 0.0f ? s.softcap * tanh(score / s.softcap) : score;
}

static inline void attend(Bytes q, ulong q_row, Bytes keys, Bytes values, ulong row_heads, ulong first_row, int begin,
                          int end, Scores s, float sink, MutableBytes y, ulong y_row) {
  float16 query[UNITS(DK)], sums[UNITS(DV)];
  for (uint u = 0; u < UNITS(DK); ++u) {
    LOAD_PADDED(Q_TYPE, q, q_row, u, DK, query[u])
  }
  for (uint u = 0; u < UNITS(DV); ++u) sums[u] = 0;
  float highest = sink;
  float total = isinf(sink) ? 0.0f : 1.0f;
  for (int key = begin; key < end; ++key) {
    const ulong row = first_row + (ulong)key * row_heads;
    float16 products = 0;
    for (uint u = 0; u < UNITS(DK); ++u) {
      float16 part;
      LOAD_PADDED(K_CACHE, keys, row * DK, u, DK, part)
      products = mad(query[u], part, products);
    }
    const float score = score_of(s, sum16(products));
    if (score > highest) {
      const float shrink = exp(highest - score);
      total *= shrink;
      for (uint u = 0; u < UNITS(DV); ++u) sums[u] *= shrink;
      highest = score;
    }
    const float weight = exp(score - highest);
    total += weight;
    for (uint u = 0; u < UNITS(DV); ++u) {
      float16 part;
      LOAD_PADDED(V_CACHE, values, row * DV, u, DV, part)
      sums[u] = mad((float16)(weight), part, sums[u]);
    }
  }
  const float inverse = total > 0.0f || isnan(total) ? 1.0f / total : 0.0f;
  for (uint u = 0; u < UNITS(DV); ++u) {
    float padded[16];
    vstore16(sums[u] * inverse, 0, padded);
    for (uint i = 0; i < 16 && 16 * u + i < DV; ++i) STORE(Y_TYPE, y, y_row + 16 * u + i, padded[i]);
  }
}

GROUP_KERNEL void attention(Bytes q, ulong q_at, Bytes positions, ulong positions_at, Bytes sequences, ulong sequences_at,
                        Bytes table, ulong table_at, Bytes lengths, ulong lengths_at, Bytes cache, ulong cache_at,
                        Bytes sinks, ulong sinks_at, MutableBytes y, ulong y_at, ulong v_plane, uint heads,
                        uint kv_heads, ulong q_token, ulong q_head, ulong table_stride, ulong y_token, ulong y_head,
                        float scale, float softcap, int window) {
  const uint head = get_global_id(0);
  const ulong t = get_global_id(1);
  const int position = ((__global const int*)(positions + positions_at))[t];
  const int sequence = ((__global const int*)(sequences + sequences_at))[t];
  const int length = ((__global const int*)(lengths + lengths_at))[sequence];
  const ulong slot = ((__global const int*)(table + table_at))[sequence * table_stride];
  const int end = min(position + 1, length);
  const int begin = window > 0 ? max(0, position - window + 1) : 0;
  const uint kv_head = head / (heads / kv_heads);
  const Scores scores = {scale, softcap, window};
  attend(q + q_at, t * q_token + head * q_head, cache + cache_at, cache + cache_at + v_plane, kv_heads,
         slot * kv_heads + kv_head, begin, end, scores, sinks ? load_f32(sinks + sinks_at, head) : -INFINITY, y + y_at,
         t * y_token + head * y_head);
}
