// A dense copy.
#include "core/ops/copy.hpp"

#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"

namespace weft {

Result<TensorDescs> Copy::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  if (check.ok()) check.that(0, in[0].dtype != DType::state, "anything but a state");
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Copy::reference(ConstHostViews in, MutableHostViews out) const { copy_elements(in[0], out[0]); }

Cost Copy::cost(TensorSpan in) const {
  const double bytes = elementwise::bytes_of(in);
  return {.flops = 0, .bytes_read = bytes, .bytes_written = bytes};
}

Facts Copy::facts(TensorSpan in) const { return elementwise::unary_facts(in); }
Tolerance Copy::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const { return {}; }

std::vector<Sample<Copy>> Copy::samples() {
  std::vector<Sample<Copy>> all = elementwise::unary_samples(Copy{});
  all.push_back({"integers", Copy{}, {sample::integers({3, -1, 2147483647, 0, 7})}});
  for (const DType type : weight_types()) {
    all.push_back({fmt::format("{} rows", weft::name_of(type)), Copy{}, {sample::normal(type, {3, 512})}});
  }
  all.push_back({"strided q4_0", Copy{}, {sample::strided(DType::q4_0, {3, 64}, 32)}});
  return all;
}

}  // namespace weft
