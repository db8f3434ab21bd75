// What happens to a dot product before it is stored: bias, scale, soft-cap, residual, each only where it is wanted.
#include "backends/opencl/cl/types.cl"

typedef struct {
  Bytes bias;
  Bytes residual;
  ulong residual_stride;
  float scale;    // 1 = none
  float softcap;  // 0 = none
} Epilogue;

static inline float finish(Epilogue e, float value, uint n, ulong t) {
  if (e.bias) value += load_f32(e.bias, n);
  value *= e.scale;
  if (e.softcap > 0.0f) value = e.softcap * tanh(value / e.softcap);
  if (e.residual) value += LOAD(R_TYPE, e.residual, t * e.residual_stride + n);
  return value;
}
