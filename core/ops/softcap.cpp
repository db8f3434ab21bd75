// Soft limit of magnitudes.
#include "core/ops/softcap.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Softcap::infer(TensorSpan in) const {
  OperandChecks check = elementwise::check_unary(name, inputs, in);
  check.that(cap > 0 && std::isfinite(cap), "cap", fmt::format("{}", cap), "a finite number above 0");
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Softcap::reference(ConstHostViews in, MutableHostViews out) const {
  const double c = cap;
  elementwise::apply(in, out, [c](double x) { return c * std::tanh(x / c); });
}

Cost Softcap::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 8); }

Facts Softcap::facts(TensorSpan in) const { return elementwise::unary_facts(in); }

Tolerance Softcap::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  // tanh by way of exp is exact to a few roundings of 1, not of its result: small results err in units of the cap.
  Tolerance t = rounding_tolerance(8, in[0].dtype);
  t.absolute += 4 * roundoff_f32 * static_cast<double>(cap);
  return t;
}

std::vector<Sample<Softcap>> Softcap::samples() {
  std::vector<Sample<Softcap>> all = elementwise::unary_samples(Softcap{.cap = 30.0F});
  // 30 tanh(40 / 30) = 26.1018
  all.push_back({"logits 40 and 0, cap 30", Softcap{.cap = 30.0F}, {sample::values(DType::f32, {1, 2}, {40, 0})}});
  all.push_back({"cap 50, beyond it both ways",
                 Softcap{.cap = 50.0F},
                 {sample::values(DType::f32, {2, 3}, {-1000, -60, 1e-3F, 0.5F, 49, 1e30F})}});
  all.push_back({"cap below the values", Softcap{.cap = 1.0F}, {sample::normal(DType::f16, {5, 33}, 4.0F)}});
  return all;
}

}  // namespace weft
