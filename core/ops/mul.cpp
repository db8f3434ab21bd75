// Elementwise product.
#include "core/ops/mul.hpp"

#include "core/ops/elementwise.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Mul::infer(TensorSpan in) const {
  const OperandChecks check = elementwise::check_binary(name, inputs, in);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Mul::reference(ConstHostViews in, MutableHostViews out) const {
  elementwise::apply(in, out, [](double a, double b) { return a * b; });
}

Cost Mul::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 1); }
Facts Mul::facts(TensorSpan in) const { return elementwise::binary_facts(in); }
Tolerance Mul::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  return rounding_tolerance(1, in[0].dtype);
}

std::vector<Sample<Mul>> Mul::samples() { return elementwise::binary_samples(Mul{}); }

}  // namespace weft
