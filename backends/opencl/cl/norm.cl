// Root-mean-square norm of a row by the LANES work-items of a group.
#include "backends/opencl/cl/lanes.cl"
#include "backends/opencl/cl/types.cl"

// This lane's part of the sum of squares of x[row …].
#define LANE_SQUARES(type, x, row, width, result)          \
  {                                                        \
    float16 parts = 0;                                     \
    const uint whole = (width) & ~15u;                     \
    for (uint i = 16 * LANE; i < whole; i += 16 * LANES) { \
      const float16 v = LOAD16(type, x, (row) + i);        \
      parts += v * v;                                      \
    }                                                      \
    result = sum16(parts);                                 \
    for (uint i = whole + LANE; i < (width); i += LANES) { \
      const float v = LOAD(type, x, (row) + i);            \
      result += v * v;                                     \
    }                                                      \
  }

static inline float norm_factor(float squares, uint width, float eps) { return 1.0f / sqrt(squares / width + eps); }

// weight[i] + offset, 1 without a weight.
static inline float norm_gain(Bytes weight, uint i, float offset) {
  return weight ? load_f32(weight, i) + offset : 1.0f;
}
