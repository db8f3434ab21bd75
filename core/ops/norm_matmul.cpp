// rms_norm, then one or several matmuls of the result.
#include "core/ops/norm_matmul.hpp"

#include <algorithm>

#include "core/ops/elementwise.hpp"
#include "core/ops/fused_norm.hpp"
#include "core/ops/matmul_rows.hpp"
#include "core/ops/matmul_samples.hpp"
#include "core/ops/quant_matmul.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {
namespace {

constexpr std::size_t first_pair = 2;

/// Calls `use(index of the weight, index of the output)` for each pair.
template <class Use>
void for_each_pair(std::size_t operands, const Use& use) {
  for (std::size_t i = first_pair; i + 1 < operands; i += 2) use(i, (i - first_pair) / 2);
}

std::vector<DType> types_of_weights(TensorSpan in) {
  std::vector<DType> types;
  for_each_pair(in.size(), [&](std::size_t i, std::size_t) { types.push_back(in[i].dtype); });
  return types;
}

}  // namespace

Result<TensorDescs> NormMatmul::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 2).vector(1, check.inner(0));
  check.that(in.size() >= first_pair + 2 && in.size() % 2 == 0, "number of operands", fmt::format("{}", in.size()),
             "x, norm_weight and pairs of weight and bias");
  TensorDescs results;
  for_each_pair(in.size(), [&](std::size_t i, std::size_t) {
    check.that(in[i].present(), fmt::format("w (operand {})", i), "absent", "a weight");
    check_weight_and_bias(check, i, check.inner(0));
    if (check.ok()) results.push_back(TensorDesc::dense(in[0].dtype, {in[0].shape[0], in[i].shape[0]}));
  });
  return check.result(std::move(results));
}

void NormMatmul::reference(ConstHostViews in, MutableHostViews out) const {
  const Scratch h = normed(*this, in[0], in[1]);
  for_each_pair(in.size(), [&](std::size_t i, std::size_t o) {
    QuantMatmul{}.reference(std::array{h.view(), in[i], in[i + 1]}, out.subspan(o, 1));
  });
}

void NormMatmul::magnitude(ConstHostViews in, MutableHostViews out) const {
  const Scratch h = normed(*this, in[0], in[1]);
  for_each_pair(in.size(), [&](std::size_t i, std::size_t o) {
    QuantMatmul{}.magnitude(std::array{h.view(), in[i], in[i + 1]}, out.subspan(o, 1));
  });
}

Cost NormMatmul::cost(TensorSpan in) const {
  Cost total = norm_cost(in[0], in[1]);
  for_each_pair(in.size(), [&](std::size_t i, std::size_t) { add_cost(total, matmul_cost(in[0], in[i], in[i + 1])); });
  return total;
}

Facts NormMatmul::facts(TensorSpan in) const {
  std::int64_t n = 0;
  std::int64_t biases = 0;
  for_each_pair(in.size(), [&](std::size_t i, std::size_t) {
    n += in[i].rows();
    biases += in[i + 1].present() ? 1 : 0;
  });
  const std::vector<DType> types = types_of_weights(in);
  Facts facts;
  facts.set("tokens", in[0].rows());
  facts.set("k", in[0].width());
  facts.set("n", n);
  facts.set("weights", static_cast<std::int64_t>(types.size()));
  facts.set("biases", biases);
  set_weight_facts(facts, types);
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  return facts;
}

Tolerance NormMatmul::tolerance(TensorSpan in, ActivationPrecision precision) const {
  return normed_dot_tolerance(in[0], in[0].dtype, precision);
}

std::vector<Sample<NormMatmul>> NormMatmul::samples() {
  using sample::normal;
  std::vector<Sample<NormMatmul>> all;
  for (const MatmulCase& c : short_matmul_cases()) {
    const Dim k = c.x.desc.shape.width();
    const SampleInput gain = sample::gain(k.max);
    all.push_back({c.name + ", one weight", NormMatmul{}, {c.x, gain, c.w, c.bias}});
    const DType type = c.w.desc.dtype;
    all.push_back({c.name + ", three weights",
                   NormMatmul{.eps = 1e-5F},
                   {c.x, gain, c.w, c.bias, normal(type, {Dim(17), k}, 0.05F), normal(DType::f32, {17}),
                    normal(type, {Dim(32), k}, 0.05F), sample::absent()}});
  }
  all.push_back({"mixed types, stored weight - 1",
                 NormMatmul{.weight_offset = 1.0F},
                 {normal(DType::f32, {3, 256}), normal(DType::f32, {256}, 0.3F), normal(DType::q4_k, {31, 256}, 0.05F),
                  sample::absent(), normal(DType::q4_k, {16, 256}, 0.05F), sample::absent(),
                  normal(DType::q6_k, {16, 256}, 0.05F), sample::absent()}});
  return all;
}

}  // namespace weft
