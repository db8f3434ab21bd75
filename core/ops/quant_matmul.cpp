// The matmul with weights.
#include "core/ops/quant_matmul.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/matmul_rows.hpp"
#include "core/ops/matmul_samples.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> QuantMatmul::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 2);
  check_weight_and_bias(check, 1, check.inner(0));
  if (!check.ok()) return check.error();
  return TensorDescs{TensorDesc::dense(in[0].dtype, {in[0].shape[0], in[1].shape[0]})};
}

void QuantMatmul::reference(ConstHostViews in, MutableHostViews out) const {
  const std::vector<float> bias = read_all(in[2]);
  multiply_rows(in[0], in[1], Terms::products, [&](std::int64_t t, std::int64_t n, double sum) {
    const double added = bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(n)]);
    write_element(out[0], out[0].row(t), n, sum + added);
  });
}

void QuantMatmul::magnitude(ConstHostViews in, MutableHostViews out) const {
  const std::vector<float> bias = read_all(in[2]);
  multiply_rows(in[0], in[1], Terms::absolute_products, [&](std::int64_t t, std::int64_t n, double sum) {
    const double added = bias.empty() ? 0.0 : static_cast<double>(std::abs(bias[static_cast<std::size_t>(n)]));
    write_element(out[0], out[0].row(t), n, sum + added);
  });
}

Cost QuantMatmul::cost(TensorSpan in) const {
  Cost cost = matmul_cost(in[0], in[1], in[2]);
  cost.bytes_read += elementwise::bytes_of(in.first(1));
  return cost;
}

Facts QuantMatmul::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[0].rows());
  facts.set("k", in[0].width());
  facts.set("n", in[1].rows());
  facts.set("weight", weft::name_of(in[1].dtype));
  facts.set("bias", std::int64_t{in[2].present()});
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  return facts;
}

Tolerance QuantMatmul::tolerance(TensorSpan in, ActivationPrecision precision) const {
  return dot_tolerance({.k = in[0].width(), .activation = in[0].dtype, .out = in[0].dtype, .precision = precision});
}

std::vector<Sample<QuantMatmul>> QuantMatmul::samples() {
  std::vector<Sample<QuantMatmul>> all;
  for (MatmulCase& c : matmul_cases()) {
    all.push_back({std::move(c.name), QuantMatmul{}, {c.x, c.w, c.bias}});
  }
  return all;
}

}  // namespace weft
