// Multiplication by a constant.
#include "core/ops/scale.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Scale::infer(TensorSpan in) const {
  OperandChecks check = elementwise::check_unary(name, inputs, in);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Scale::reference(ConstHostViews in, MutableHostViews out) const {
  const double f = factor;
  elementwise::apply(in, out, [f](double x) { return f * x; });
}

Cost Scale::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 1); }

Facts Scale::facts(TensorSpan in) const { return elementwise::unary_facts(in); }

Tolerance Scale::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  return rounding_tolerance(1, in[0].dtype);
}

std::vector<Sample<Scale>> Scale::samples() {
  std::vector<Sample<Scale>> all = elementwise::unary_samples(Scale{.factor = 0.0625F});
  all.push_back({"negative factor", Scale{.factor = -1.7F}, {sample::normal(DType::f32, {3, 17})}});
  all.push_back({"zero factor", Scale{.factor = 0.0F}, {sample::normal(DType::f16, {2, 31})}});
  return all;
}

}  // namespace weft
