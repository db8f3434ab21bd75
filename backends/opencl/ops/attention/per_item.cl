// Attention of one query head of one token by one work-item: one pass over the visible keys with a running maximum.
// DK and DV are widths of a head; UNITS(n) vectors of 16 hold them, padded with zeros.
#include "backends/opencl/cl/scores.cl"
#include "backends/opencl/cl/types.cl"

#define UNITS(n) (((n) + 15) / 16)

// Elements 16 * u … of a row of n elements, zeros beyond its end.
#define LOAD_PADDED(type, p, row, u, n, result)                                                                \
  if (16 * (u) + 16 <= (n)) {                                                                                  \
    result = LOAD16(type, p, (row) + 16 * (u));                                                                \
  } else {                                                                                                     \
    float padded[16];                                                                                          \
    for (uint i = 0; i < 16; ++i) padded[i] = 16 * (u) + i < (n) ? LOAD(type, p, (row) + 16 * (u) + i) : 0.0f; \
    result = vload16(0, padded);                                                                               \
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

#define ATTEND_LOCAL
#define ATTEND_MEMORY
#include "backends/opencl/ops/attention/kernel.cl"
