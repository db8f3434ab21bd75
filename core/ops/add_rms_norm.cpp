// Residual add and the norm of its result, both kept.
#include "core/ops/add_rms_norm.hpp"

#include <cmath>

#include "core/ops/add.hpp"
#include "core/ops/elementwise.hpp"
#include "core/ops/rms_norm.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> AddRmsNorm::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 2).activation(1).vector(2, check.inner(0));
  if (check.ok()) check.shape(1, in[0].shape);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0]), elementwise::like(in[0])};
}

// The norm reads the sum as it is kept, rounded to x's type.
void AddRmsNorm::reference(ConstHostViews in, MutableHostViews out) const {
  Add{}.reference(in.first(2), out.first(1));
  const std::array norm_inputs{as_const(out[0]), in[2]};
  RmsNorm{.eps = eps, .weight_offset = weight_offset}.reference(norm_inputs, out.subspan(1));
}

Cost AddRmsNorm::cost(TensorSpan in) const {
  Cost cost = elementwise::cost(in, in[0].dtype, 5);
  cost.bytes_written *= 2;
  return cost;
}

Facts AddRmsNorm::facts(TensorSpan in) const { return elementwise::unary_facts(in).set("b", name_of(in[1].dtype)); }

Tolerance AddRmsNorm::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  Tolerance t = rounding_tolerance(10 + 2 * std::sqrt(static_cast<double>(in[0].width())), in[0].dtype);
  if (in[0].dtype != DType::f32) t.relative *= 2;  // a kernel may norm the sum before or after it is rounded
  return t;
}

std::vector<Sample<AddRmsNorm>> AddRmsNorm::samples() {
  using sample::normal;
  std::vector<Sample<AddRmsNorm>> all;
  for (const DType type : {DType::f32, DType::f16}) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{3, 31}, Shape{2, 33}, Shape{1, 576}, Shape{5, 640}, Shape{2, 896}, Shape{0, 64}}) {
      all.push_back({fmt::format("{} {}", name_of(type), to_string(shape)),
                     AddRmsNorm{},
                     {normal(type, shape), normal(type, shape), normal(DType::f32, {shape.width()})}});
    }
  }
  all.push_back({"stored weight - 1",
                 AddRmsNorm{.weight_offset = 1.0F},
                 {normal(DType::f32, {3, 65}), normal(DType::f32, {3, 65}), normal(DType::f32, {65}, 0.3F)}});
  all.push_back(
      {"strided",
       AddRmsNorm{},
       {sample::strided(DType::f32, {4, 48}, 16), sample::strided(DType::f32, {4, 48}, 5), normal(DType::f32, {48})}});
  return all;
}

}  // namespace weft
