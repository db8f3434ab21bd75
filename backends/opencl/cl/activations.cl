// The activation functions of core/ops/activation.hpp, chosen by -D ACTIVATION=name.
#include "backends/opencl/cl/types.cl"

static inline float act_sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }
// Below 0 by the square of exp(x / 2), for exp(-x) overflows while the result is still a normal number.
static inline float act_silu(float x) {
  const float root = exp(-0.5f * fabs(x));
  const float small = root * root;
  return x < 0.0f ? x * root * root / (1.0f + small) : x / (1.0f + small);
}
static inline float act_relu(float x) { return isnan(x) ? x : fmax(x, 0.0f); }
static inline float act_gelu_tanh(float x) {
  return 0.5f * x * (1.0f + tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x)));
}
static inline float act_gelu_erf(float x) { return 0.5f * x * (1.0f + erf(x * 0.70710678118654752440f)); }
#define ACTIVATE(name, x) JOIN(act_, name)(x)
