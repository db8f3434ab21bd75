// Matmul with the residual added.
#include "core/ops/matmul_add.hpp"

#include <cmath>

#include "core/ops/add.hpp"
#include "core/ops/elementwise.hpp"
#include "core/ops/matmul_samples.hpp"
#include "core/ops/quant_matmul.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> MatmulAdd::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  if (!check.ok()) return check.error();
  const auto product = QuantMatmul{}.infer(in.first(3));
  if (!product) return error_of(product, name);
  check.activation(3).shape(3, product->front().shape);
  return check.result(*product);
}

// The product is an intermediate result in f32.
void MatmulAdd::reference(ConstHostViews in, MutableHostViews out) const {
  Scratch product(out[0].desc.shape);
  QuantMatmul{}.reference(in.first(3), std::array{product.view()});
  Add{}.reference(std::array{product.input(), in[3]}, out);
}

void MatmulAdd::magnitude(ConstHostViews in, MutableHostViews out) const {
  QuantMatmul{}.magnitude(in.first(3), out);
  for (std::int64_t r = 0; r < out[0].rows(); ++r) {
    const std::vector<float> product = read_row(as_const(out[0]), r);
    const std::vector<float> residual = read_row(in[3], r);
    std::vector<double> sum(product.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<double>(product[i]) + std::abs(residual[i]);
    write_row(out[0], r, sum);
  }
}

Cost MatmulAdd::cost(TensorSpan in) const {
  Cost cost = QuantMatmul{}.cost(in.first(3));
  cost.flops += static_cast<double>(in[3].shape.elements());
  cost.bytes_read += elementwise::bytes_of(in.subspan(3));
  return cost;
}

Facts MatmulAdd::facts(TensorSpan in) const {
  return QuantMatmul{}
      .facts(in.first(3))
      .set("residual", weft::name_of(in[3].dtype))
      .set("dense", std::int64_t{elementwise::all_dense(in)});
}

Tolerance MatmulAdd::tolerance(TensorSpan in, ActivationPrecision precision) const {
  Tolerance t = QuantMatmul{}.tolerance(in.first(3), precision);
  // The product may be kept in x's type before the residual is added.
  t.relative += in[0].dtype == DType::f32 ? roundoff_f32 : roundoff(in[0].dtype);
  return t;
}

std::vector<Sample<MatmulAdd>> MatmulAdd::samples() {
  std::vector<Sample<MatmulAdd>> all;
  for (const MatmulCase& c : short_matmul_cases()) {
    const Shape shape{c.x.desc.shape[0], c.w.desc.shape[0]};
    all.push_back({c.name, MatmulAdd{}, {c.x, c.w, c.bias, sample::normal(c.x.desc.dtype, shape)}});
  }
  all.push_back({"strided residual",
                 MatmulAdd{},
                 {sample::normal(DType::f32, {5, 64}), sample::normal(DType::q4_0, {33, 64}, 0.05F), sample::absent(),
                  sample::strided(DType::f32, {5, 33}, 31)}});
  all.push_back({"large residual",
                 MatmulAdd{},
                 {sample::normal(DType::f32, {2, 64}), sample::normal(DType::q8_0, {17, 64}, 0.05F), sample::absent(),
                  sample::normal(DType::f32, {2, 17}, 1e4F)}});
  return all;
}

}  // namespace weft
