// Per-head norms, rotation and cache write of the step's q, k, v.
#include "core/ops/qk_norm_rope_append.hpp"

#include <algorithm>
#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/fused_norm.hpp"
#include "core/ops/kv_append.hpp"
#include "core/ops/kv_operands.hpp"
#include "core/ops/kv_samples.hpp"
#include "core/ops/rope.hpp"
#include "core/ops/rope_rows.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {
namespace {

enum Operand : std::size_t { q, k, v, q_norm, k_norm, positions, sequences, kv_table, cache_port, divisors };

/// The normed heads in f32, or the heads as they are where there is no norm.
Scratch normed_heads(const QkNormRopeAppend& op, const ConstHostView& heads, const ConstHostView& weight) {
  if (weight.present()) return normed(op, heads, weight);
  Scratch same(heads.desc.shape);
  for (std::int64_t r = 0; r < heads.rows(); ++r) store_row(same.view(), r, read_row(heads, r));
  return same;
}

}  // namespace

Result<TensorDescs> QkNormRopeAppend::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check_cache_spec(check, cache);
  const Dim tokens = check.dim(q, 0);
  check.activation(q).rank(q, 3).width(q, Dim(cache.dk));
  check.activation(k).shape(k, {tokens, Dim(cache.kv_heads), Dim(cache.dk)});
  check.activation(v).shape(v, {tokens, Dim(cache.kv_heads), Dim(cache.dv)});
  check.vector(q_norm, Dim(cache.dk)).vector(k_norm, Dim(cache.dk));
  check_batch(check, {.positions = positions, .sequences = sequences, .kv_table = kv_table, .cache = cache_port},
              tokens);
  check_rope(check, rope, cache.dk, divisors);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[q]), in[cache_port]};
}

// Normed and rotated keys are intermediate results in f32.
void QkNormRopeAppend::reference(ConstHostViews in, MutableHostViews out) const {
  const Rope rotation{rope};
  const Scratch q_heads = normed_heads(*this, in[q], in[q_norm]);
  rotation.reference(std::array{q_heads.view(), in[positions], in[divisors]}, out.first(1));
  const Scratch k_heads = normed_heads(*this, in[k], in[k_norm]);
  Scratch rotated(in[k].desc.shape);
  rotation.reference(std::array{k_heads.view(), in[positions], in[divisors]}, std::array{rotated.view()});
  KvAppend{cache}.reference(
      std::array{rotated.input(), in[v], in[positions], in[sequences], in[kv_table], in[cache_port]}, out.subspan(1));
}

void QkNormRopeAppend::magnitude(ConstHostViews in, MutableHostViews out) const {
  const Scratch q_heads = normed_heads(*this, in[q], in[q_norm]);
  Rope{rope}.magnitude(std::array{q_heads.view(), in[positions], in[divisors]}, out.first(1));
}

Cost QkNormRopeAppend::cost(TensorSpan in) const {
  const CachePlanes row = cache_planes(cache, 1);
  const auto tokens = static_cast<double>(in[positions].shape.elements());
  const auto elements = static_cast<double>(in[q].shape.elements() + in[k].shape.elements());
  const double q_bytes = elementwise::bytes_of(in.first(1));
  return {.flops = 7 * elements,
          .bytes_read = elementwise::bytes_of(in.first(cache_port)),
          .bytes_written = q_bytes + tokens * static_cast<double>(row.k_row_bytes + row.v_row_bytes)};
}

Facts QkNormRopeAppend::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[q].shape[0].max);
  facts.set("sequences", in[kv_table].rows());
  facts.set("heads", in[q].shape[1].max);
  facts.set("q_norm", std::int64_t{in[q_norm].present()});
  facts.set("k_norm", std::int64_t{in[k_norm].present()});
  facts.set("x", weft::name_of(in[q].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  set_rope_facts(facts, rope, in[divisors]);
  set_cache_facts(facts, cache);
  return facts;
}

// The norm's and the rotation's roundings; a cache's rows may also round to the neighbour in the cache's type.
Tolerance QkNormRopeAppend::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  Tolerance t = rounding_tolerance(16 + 2 * std::sqrt(static_cast<double>(cache.dk)), in[q].dtype);
  const Tolerance rows = cache_tolerance(cache);
  t.relative += rows.relative + 2 * std::max(roundoff(cache.k_type), roundoff(cache.v_type));
  t.absolute += rows.absolute;
  if (in[q].dtype != DType::f32) t.relative += roundoff(in[q].dtype);
  return t;
}

std::vector<Sample<QkNormRopeAppend>> QkNormRopeAppend::samples() {
  using sample::normal;
  std::vector<Sample<QkNormRopeAppend>> all;
  std::size_t number = 0;
  for (const KvCase& c : kv_cases()) {
    const bool halves = number % 2 == 0;
    const bool norms = number % 3 != 0;
    ++number;
    QkNormRopeAppend op;
    op.cache = c.cache;
    op.weight_offset = number % 5 == 0 ? 1.0F : 0.0F;
    op.rope = RopeSpec::plain(halves ? RopePairing::halves : RopePairing::interleaved, c.cache.dk, 1e6F);
    const Dim tokens(c.batch.tokens);
    const SampleInput gain = norms ? normal(DType::f32, {c.cache.dk}) : sample::absent();
    all.push_back({fmt::format("{}, {}, {}", c.name, halves ? "halves" : "interleaved", norms ? "norms" : "no norms"),
                   op,
                   {normal(c.activation, {tokens, Dim(c.cache.kv_heads * c.group), Dim(c.cache.dk)}),
                    normal(c.activation, {tokens, Dim(c.cache.kv_heads), Dim(c.cache.dk)}),
                    normal(c.activation, {tokens, Dim(c.cache.kv_heads), Dim(c.cache.dv)}), gain, gain,
                    c.batch.positions, c.batch.sequences, c.batch.kv_table, c.batch.cache, sample::absent()}});
  }
  const sample::Batch far = sample::batch({{700, 24}});
  QkNormRopeAppend part;
  part.cache = {.k_type = DType::f32, .v_type = DType::f32, .kv_heads = 1, .dk = 256, .dv = 64};
  part.rope = RopeSpec::plain(RopePairing::halves, 64, 1e7F);
  const SampleInput one_norm = normal(DType::f32, {256});
  for (const bool rotated : {true, false}) {
    QkNormRopeAppend op = part;
    if (!rotated) op.rope = RopeSpec{};
    all.push_back({rotated ? "64 of 256 rotated, far positions, norm of k alone" : "no rotation, norm of k alone",
                   op,
                   {sample::strided(DType::f32, {24, 2, 256}, 256), normal(DType::f32, {24, 1, 256}),
                    normal(DType::f32, {24, 1, 64}), sample::absent(), one_norm, far.positions, far.sequences,
                    far.kv_table, far.cache, sample::absent()}});
  }
  return all;
}

}  // namespace weft
