// Error bounds of rounding and of dot products.
#include "core/ops/tolerances.hpp"

#include <algorithm>
#include <cmath>

namespace weft {

double roundoff(DType type) {
  switch (type) {
    case DType::f16: return 0x1p-11;
    case DType::bf16: return 0x1p-8;
    default: return roundoff_f32;
  }
}

double underflow(DType type) { return type == DType::f16 ? 0x1p-25 : 0x1p-126; }

Tolerance rounding_tolerance(double operations, DType out) {
  // The wanted result is rounded to `out` as the kernel's is: where it lies beside a tie, they end a whole step apart.
  const double stored = out == DType::f32 ? 0 : 2 * roundoff(out);
  return {.relative = operations * roundoff_f32 + stored, .absolute = underflow(out)};
}

Tolerance activation_tolerance(ActivationKind kind, double factor, DType out) {
  Tolerance t = rounding_tolerance(kind == ActivationKind::relu ? 2 : 32, out);
  if (kind == ActivationKind::gelu_tanh || kind == ActivationKind::gelu_erf) {
    t.absolute += 8 * roundoff_f32 * 8 * factor;
  }
  return t;
}

Tolerance dot_tolerance(const DotError& dot) {
  const auto k = static_cast<double>(std::max<std::int64_t>(dot.k, 1));
  Tolerance t = rounding_tolerance(4 + 4 * std::sqrt(k), dot.out);
  if (dot.rounds_activation && dot.activation != DType::f32) t.relative += roundoff(dot.activation);
  // Each product may lose what flushing of denormals takes from its factors.
  t.absolute += k * 0x1p-124;
  if (dot.precision == ActivationPrecision::int8) {
    const double crest = std::min(8.0, k);
    t.relative += 6.0 / 440 * crest * 1.25 / std::sqrt(k);
  }
  return t;
}

}  // namespace weft
