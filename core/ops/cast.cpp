// Change of type.
#include "core/ops/cast.hpp"

#include "core/ops/elementwise.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Cast::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.any_float(0);
  check.that(is_float(to), "target type", weft::name_of(to), "f32, f16 or bf16");
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0], to)};
}

void Cast::reference(ConstHostViews in, MutableHostViews out) const {
  elementwise::apply(in, out, [](double x) { return x; });
}

Cost Cast::cost(TensorSpan in) const { return elementwise::cost(in, to, 0); }
Facts Cast::facts(TensorSpan in) const { return elementwise::unary_facts(in).set("to", weft::name_of(to)); }

// The definition fixes every bit, but devices may flush denormals to zero.
Tolerance Cast::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const {
  return {.relative = 0, .absolute = to == DType::f16 ? 0.0 : 0x1p-126};
}

std::vector<Sample<Cast>> Cast::samples() {
  std::vector<Sample<Cast>> all;
  for (const DType from : {DType::f32, DType::f16, DType::bf16}) {
    for (const DType to : {DType::f32, DType::f16, DType::bf16}) {
      for (const Shape& shape : {Shape{1, 1}, Shape{3, 33}, Shape{2, 5, 64}}) {
        all.push_back({fmt::format("{} to {} {}", weft::name_of(from), weft::name_of(to), to_string(shape)),
                       Cast{to},
                       {sample::normal(from, shape)}});
      }
    }
  }
  // Halfway cases of f16 (ties to even), its largest number, overflow to infinity, its subnormals.
  all.push_back({"ties and limits of f16",
                 Cast{DType::f16},
                 {sample::values(DType::f32, {1, 8},
                                 {1 + 0x1p-11F, 1 + 0x3p-11F, 65504, 65519, 65520, 0x1p-24F, 0x1p-25F, -0x3p-26F})}});
  all.push_back({"strided", Cast{DType::f16}, {sample::strided(DType::f32, {7, 30}, 11)}});
  return all;
}

}  // namespace weft
