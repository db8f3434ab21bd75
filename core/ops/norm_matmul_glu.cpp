// The first half of a gated feed-forward block.
#include "core/ops/norm_matmul_glu.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/fused_norm.hpp"
#include "core/ops/glu.hpp"
#include "core/ops/matmul_rows.hpp"
#include "core/ops/matmul_samples.hpp"
#include "core/ops/quant_matmul.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {
namespace {

constexpr std::size_t gate_port = 2;
constexpr std::size_t up_port = 4;

/// One of the two matmuls, as an intermediate result in f32.
Scratch product(const Scratch& h, ConstHostViews in, std::size_t weight) {
  Scratch y({h.view().desc.shape[0], in[weight].desc.shape[0]});
  QuantMatmul{}.reference(std::array{h.view(), in[weight], in[weight + 1]}, std::array{y.view()});
  return y;
}
Scratch product_size(const Scratch& h, ConstHostViews in, std::size_t weight) {
  Scratch y({h.view().desc.shape[0], in[weight].desc.shape[0]});
  QuantMatmul{}.magnitude(std::array{h.view(), in[weight], in[weight + 1]}, std::array{y.view()});
  return y;
}

}  // namespace

Result<TensorDescs> NormMatmulGlu::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 2).vector(1, check.inner(0));
  check_weight_and_bias(check, gate_port, check.inner(0));
  check_weight_and_bias(check, up_port, check.inner(0));
  if (check.ok()) check.shape(up_port, in[gate_port].shape);
  if (!check.ok()) return check.error();
  return TensorDescs{TensorDesc::dense(in[0].dtype, {in[0].shape[0], in[gate_port].shape[0]})};
}

void NormMatmulGlu::reference(ConstHostViews in, MutableHostViews out) const {
  const Scratch h = normed(*this, in[0], in[1]);
  const Scratch gate = product(h, in, gate_port);
  const Scratch up = product(h, in, up_port);
  Glu{activation}.reference(std::array{gate.view(), up.view()}, out);
}

// With products g and u, their sums of absolute products G and U, and |act'| <= 1.13: an error of e G in g and e U in u
// shows as e (|act(g)| U + 1.13 G |u|) + 1.13 e^2 G U; e stays below 1/8.
void NormMatmulGlu::magnitude(ConstHostViews in, MutableHostViews out) const {
  constexpr double slope = 1.13;
  constexpr double relative_error = 0.125;
  const Scratch h = normed(*this, in[0], in[1]);
  const Scratch gate = product(h, in, gate_port);
  const Scratch up = product(h, in, up_port);
  const Scratch gate_size = product_size(h, in, gate_port);
  const Scratch up_size = product_size(h, in, up_port);
  const auto width = static_cast<std::size_t>(out[0].width());
  std::vector<double> y(width);
  for (std::int64_t r = 0; r < out[0].rows(); ++r) {
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t at = static_cast<std::size_t>(r) * width + i;
      const double g = gate_size.values()[at];
      const double u = up_size.values()[at];
      y[i] = std::abs(activate(activation, gate.values()[at])) * u +
             slope * g * (std::abs(up.values()[at]) + relative_error * u);
    }
    write_row(out[0], r, y);
  }
}

Cost NormMatmulGlu::cost(TensorSpan in) const {
  Cost total = norm_cost(in[0], in[1]);
  add_cost(total, matmul_cost(in[0], in[gate_port], in[gate_port + 1]));
  Cost up = matmul_cost(in[0], in[up_port], in[up_port + 1]);
  up.bytes_written = 0;
  add_cost(total, up);
  total.flops += 9 * static_cast<double>(in[0].rows() * in[gate_port].rows());
  return total;
}

Facts NormMatmulGlu::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[0].rows());
  facts.set("k", in[0].width());
  facts.set("n", in[gate_port].rows());
  facts.set("biases", std::int64_t{in[gate_port + 1].present()} + std::int64_t{in[up_port + 1].present()});
  set_weight_facts(facts, std::array{in[gate_port].dtype, in[up_port].dtype});
  facts.set("activation", weft::name_of(activation));
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  return facts;
}

Tolerance NormMatmulGlu::tolerance(TensorSpan in, ActivationPrecision precision) const {
  Tolerance t = normed_dot_tolerance(in[0], in[0].dtype, precision);
  const Tolerance act = activation_tolerance(activation, 8.0, in[0].dtype);
  t.relative += act.relative;
  t.absolute += act.absolute;
  return t;
}

std::vector<Sample<NormMatmulGlu>> NormMatmulGlu::samples() {
  using sample::normal;
  std::vector<Sample<NormMatmulGlu>> all;
  for (const MatmulCase& c : short_matmul_cases()) {
    const SampleInput gain = sample::gain(c.x.desc.width());
    const SampleInput up{c.w.desc, c.w.fill};
    all.push_back({c.name, NormMatmulGlu{}, {c.x, gain, c.w, c.bias, up, c.bias}});
  }
  for (const ActivationKind kind : all_activations) {
    all.push_back(
        {fmt::format("{}, stored weight - 1", weft::name_of(kind)),
         NormMatmulGlu{.weight_offset = 1.0F, .activation = kind},
         {normal(DType::f32, {3, 128}), normal(DType::f32, {128}, 0.3F), normal(DType::q5_0, {31, 128}, 0.05F),
          sample::absent(), normal(DType::q8_0, {31, 128}, 0.05F), sample::absent()}});
  }
  return all;
}

}  // namespace weft
