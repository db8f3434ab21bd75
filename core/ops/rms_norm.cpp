// Root-mean-square norm of rows.
#include "core/ops/rms_norm.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> RmsNorm::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).vector(1, check.inner(0));
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void RmsNorm::reference(ConstHostViews in, MutableHostViews out) const {
  const std::vector<float> weight = read_all(in[1]);
  const auto width = static_cast<std::size_t>(in[0].width());
  std::vector<double> y(width);
  for (std::int64_t r = 0; r < in[0].rows(); ++r) {
    const std::vector<float> x = read_row(in[0], r);
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * v;
    const double factor = 1 / std::sqrt(squares / static_cast<double>(width) + eps);
    for (std::size_t i = 0; i < width; ++i) {
      const double gain = weight.empty() ? 1.0 : static_cast<double>(weight[i]) + weight_offset;
      y[i] = x[i] * factor * gain;
    }
    write_row(out[0], r, y);
  }
}

Cost RmsNorm::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 4); }

Facts RmsNorm::facts(TensorSpan in) const {
  return elementwise::unary_facts(in).set("weight", std::int64_t{in[1].present()});
}

// The mean of squares has no cancellation: its rounding walks like sqrt(width) and the root halves it.
Tolerance RmsNorm::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  return rounding_tolerance(8 + 2 * std::sqrt(static_cast<double>(in[0].width())), in[0].dtype);
}

std::vector<Sample<RmsNorm>> RmsNorm::samples() {
  using sample::normal;
  std::vector<Sample<RmsNorm>> all;
  for (const DType type : {DType::f32, DType::f16}) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 31}, Shape{3, 33}, Shape{7, 64}, Shape{2, 127}, Shape{5, 257}, Shape{1, 576},
          Shape{3, 640}, Shape{2, 896}, Shape{1, 4096}, Shape{3, 9, 64}, Shape{2, 4, 256}, Shape{0, 64}}) {
      const std::string size = fmt::format("{} {}", name_of(type), to_string(shape));
      all.push_back({size, RmsNorm{}, {normal(type, shape), normal(DType::f32, {shape.width()})}});
    }
    const std::string prefix(name_of(type));
    all.push_back({prefix + " no weight", RmsNorm{}, {normal(type, {3, 96}), sample::absent()}});
    all.push_back({prefix + " stored weight - 1",
                   RmsNorm{.weight_offset = 1.0F},
                   {normal(type, {3, 640}), normal(DType::f32, {640}, 0.3F)}});
    all.push_back({prefix + " eps 1e-5", RmsNorm{.eps = 1e-5F}, {normal(type, {2, 576}), normal(DType::f32, {576})}});
    all.push_back(
        {prefix + " strided heads", RmsNorm{}, {sample::strided(type, {5, 3, 64}, 64), normal(DType::f32, {64})}});
  }
  all.push_back({"tiny x, ruled by eps", RmsNorm{}, {normal(DType::f32, {2, 65}, 1e-6F), normal(DType::f32, {65})}});
  all.push_back({"large x", RmsNorm{}, {normal(DType::f32, {2, 65}, 1e6F), normal(DType::f32, {65})}});
  all.push_back({"zero x", RmsNorm{}, {sample::constant(DType::f32, {2, 65}, 0), normal(DType::f32, {65})}});
  all.push_back({"outliers",
                 RmsNorm{},
                 {sample::values(DType::f32, {2, 111}, sample::with_outliers(222)), normal(DType::f32, {111})}});
  return all;
}

}  // namespace weft
