// Attention of one query head of one token by a work-group: a tile of LANES keys at a time, each lane scoring one key;
// then each lane sums its own elements of the values. The running maximum keeps one pass enough.
#include "backends/opencl/cl/lanes.cl"
#include "backends/opencl/cl/scores.cl"
#include "backends/opencl/cl/types.cl"

#define OWN ((DV + LANES - 1) / LANES)

static inline float key_product(__local const float* query, Bytes keys, ulong row) {
  float sum = 0;
  for (uint i = 0; i + 16 <= DK; i += 16) sum += sum16(vload16(0, query + i) * LOAD16(K_CACHE, keys, row + i));
  for (uint i = DK & ~15u; i < DK; ++i) sum += query[i] * LOAD(K_CACHE, keys, row + i);
  return sum;
}

static inline void attend(Bytes q, ulong q_row, Bytes keys, Bytes values, ulong row_heads, ulong first_row, int begin,
                          int end, Scores s, float sink, MutableBytes y, ulong y_row, __local float* query,
                          __local float* weights) {
  for (uint i = LANE; i < DK; i += LANES) query[i] = LOAD(Q_TYPE, q, q_row + i);
  float sums[OWN];
  for (uint j = 0; j < OWN; ++j) sums[j] = 0;
  float highest = sink;
  float total = isinf(sink) ? 0.0f : 1.0f;
  for (int tile = begin; tile < end; tile += LANES) {
    barrier(CLK_LOCAL_MEM_FENCE);  // the query is there, the last tile's weights are used
    const int key = tile + (int)LANE;
    const int count = min(end - tile, LANES);
    float score = -INFINITY;
    if (key < end) score = score_of(s, key_product(query, keys, (first_row + (ulong)key * row_heads) * DK));
    weights[LANE] = score;
    barrier(CLK_LOCAL_MEM_FENCE);
    float top = highest;
    for (int k = 0; k < count; ++k) top = fmax(top, weights[k]);
    const float shrink = exp(highest - top);
    total *= shrink;
    for (uint j = 0; j < OWN; ++j) sums[j] *= shrink;
    highest = top;
    for (int k = 0; k < count; ++k) {
      const float weight = exp(weights[k] - top);
      const ulong row = (first_row + (ulong)(tile + k) * row_heads) * DV;
      total += weight;
      for (uint j = 0; j < OWN; ++j) {
        const uint i = LANE + j * LANES;
        if (i < DV) sums[j] += weight * LOAD(V_CACHE, values, row + i);
      }
    }
  }
  const float inverse = total > 0.0f || isnan(total) ? 1.0f / total : 0.0f;
  for (uint j = 0; j < OWN; ++j) {
    const uint i = LANE + j * LANES;
    if (i < DV) STORE(Y_TYPE, y, y_row + i, sums[j] * inverse);
  }
}

#define ATTEND_LOCAL __local float query[DK], weights[LANES];
#define ATTEND_MEMORY , query, weights
#include "backends/opencl/ops/attention/kernel.cl"
