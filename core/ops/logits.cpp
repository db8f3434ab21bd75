// Final norm, head, scale and soft-cap, and for greedy decoding the arg-max.
#include "core/ops/logits.hpp"

#include <cmath>

#include "core/ops/argmax.hpp"
#include "core/ops/elementwise.hpp"
#include "core/ops/fused_norm.hpp"
#include "core/ops/matmul_rows.hpp"
#include "core/ops/matmul_samples.hpp"
#include "core/ops/quant_matmul.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/scale.hpp"
#include "core/ops/softcap.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Logits::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 2).vector(1, check.inner(0)).matrix(2, check.inner(0));
  check.that(softcap >= 0 && std::isfinite(softcap), "softcap", fmt::format("{}", softcap), "0 (none) or more");
  check.that(2, check.dim(2, 0).max > 0, "at least one row");
  if (!check.ok()) return check.error();
  if (result == Yields::argmax) return TensorDescs{TensorDesc::dense(DType::i32, {in[0].shape[0]})};
  return TensorDescs{TensorDesc::dense(DType::f32, {in[0].shape[0], in[2].shape[0]})};
}

// Normed rows and logits are f32.
void Logits::reference(ConstHostViews in, MutableHostViews out) const {
  const Scratch h = normed(*this, in[0], in[1]);
  Scratch own({in[0].desc.shape[0], in[2].desc.shape[0]});
  const std::array logits{result == Yields::argmax ? own.view() : out[0]};
  const std::array so_far{as_const(logits[0])};
  QuantMatmul{}.reference(std::array{h.view(), in[2], ConstHostView{}}, logits);
  if (scale != 1.0F) Scale{scale}.reference(so_far, logits);
  if (softcap > 0) Softcap{softcap}.reference(so_far, logits);
  if (result == Yields::argmax) Argmax{}.reference(so_far, out);
}

// The soft-cap's slope is at most 1. Ids have no size: they are right or wrong.
void Logits::magnitude(ConstHostViews in, MutableHostViews out) const {
  if (result == Yields::argmax) return;
  const Scratch h = normed(*this, in[0], in[1]);
  QuantMatmul{}.magnitude(std::array{h.view(), in[2], ConstHostView{}}, out);
  Scale{std::abs(scale)}.reference(std::array{as_const(out[0])}, out);
}

Cost Logits::cost(TensorSpan in) const {
  Cost total = norm_cost(in[0], in[1]);
  add_cost(total, matmul_cost(in[0], in[2], TensorDesc::absent()));
  const double ids_or_values = result == Yields::argmax ? 1.0 : static_cast<double>(in[2].rows());
  total.bytes_written = 4 * static_cast<double>(in[0].rows()) * ids_or_values;
  return total;
}

Facts Logits::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[0].rows());
  facts.set("k", in[0].width());
  facts.set("n", in[2].rows());
  facts.set("weight", weft::name_of(in[2].dtype));
  facts.set("result", result == Yields::argmax ? "argmax" : "values");
  facts.set("scale", std::int64_t{scale != 1.0F});
  facts.set("softcap", std::int64_t{softcap > 0});
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  return facts;
}

Tolerance Logits::tolerance(TensorSpan in, ActivationPrecision precision) const {
  if (result == Yields::argmax) return {};
  Tolerance t = normed_dot_tolerance(in[0], DType::f32, precision);
  t.relative += 2 * roundoff_f32;
  if (softcap > 0) t.absolute += 4 * roundoff_f32 * static_cast<double>(softcap);
  return t;
}

namespace {

/// Rows of x that point along row 2, 0 and 4 of the head: a winner that no rounding changes.
Sample<Logits> clear_winners(DType head, DType x) {
  constexpr std::int64_t k = 32;
  std::vector<float> rows(5 * k, 0.0F);
  std::vector<float> wanted(3 * k, 0.0F);
  const std::array<std::size_t, 3> winners{2, 0, 4};
  for (std::size_t n = 0; n < 5; ++n) {
    for (std::size_t i = n; i < k; i += 5) rows[n * k + i] = 1.0F;
  }
  for (std::size_t t = 0; t < winners.size(); ++t) {
    for (std::size_t i = 0; i < k; ++i) wanted[t * k + i] = rows[winners[t] * k + i] + 0.25F;
  }
  return {
      fmt::format("{} head, {} x: clear winners", name_of(head), name_of(x)),
      Logits{.result = Logits::Yields::argmax},
      {sample::values(x, {3, k}, wanted), sample::constant(DType::f32, {k}, 1.0F), sample::values(head, {5, k}, rows)}};
}

}  // namespace

std::vector<Sample<Logits>> Logits::samples() {
  std::vector<Sample<Logits>> all;
  for (const MatmulCase& c : short_matmul_cases()) {
    const SampleInput gain = sample::gain(c.x.desc.width());
    all.push_back({c.name, Logits{}, {c.x, gain, c.w}});
    all.push_back({c.name + ", scale and soft-cap", Logits{.scale = 0.125F, .softcap = 3.0F}, {c.x, gain, c.w}});
  }
  all.push_back({"stored weight - 1",
                 Logits{.weight_offset = 1.0F, .softcap = 30.0F},
                 {sample::normal(DType::f32, {2, 256}), sample::normal(DType::f32, {256}, 0.3F),
                  sample::normal(DType::q6_k, {257, 256}, 0.05F)}});
  for (const DType head : {DType::f32, DType::f16, DType::bf16}) {
    for (const DType x : {DType::f32, DType::f16}) all.push_back(clear_winners(head, x));
  }
  // Two rows of random blocks: their logits lie far apart beside any kernel's error.
  for (const DType head : weight_types()) {
    if (!is_quantised(head)) continue;
    all.push_back({fmt::format("{} arg-max of two", weft::name_of(head)),
                   Logits{.softcap = 30.0F, .result = Yields::argmax},
                   {sample::normal(DType::f32, {1, 512}), sample::gain(512), sample::normal(head, {2, 512}, 0.5F)}});
  }
  return all;
}

}  // namespace weft
