// Writes keys and values of the step into the cache.
#include "core/ops/kv_append.hpp"

#include <cstring>

#include "core/ops/elementwise.hpp"
#include "core/ops/kv_operands.hpp"
#include "core/ops/kv_samples.hpp"
#include "core/ops/rows.hpp"
#include "core/quant/encode_row.hpp"

namespace weft {

Result<TensorDescs> KvAppend::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check_cache_spec(check, cache);
  const Dim tokens = check.dim(0, 0);
  check.activation(0).shape(0, {tokens, Dim(cache.kv_heads), Dim(cache.dk)});
  check.activation(1).shape(1, {tokens, Dim(cache.kv_heads), Dim(cache.dv)});
  check_batch(check, {.positions = 2, .sequences = 3, .kv_table = 4, .cache = 5}, tokens);
  if (!check.ok()) return check.error();
  return TensorDescs{in[5]};
}

void KvAppend::reference(ConstHostViews in, MutableHostViews out) const {
  const CacheRows<std::byte> rows(cache, out[0].width(), out[0].data);
  if (out[0].data != in[5].data) std::memcpy(out[0].data, in[5].data, rows.bytes());
  const std::vector<std::int64_t> row_of_token = cache_row_of_tokens(in[2], in[3], in[4]);
  for (std::size_t t = 0; t < row_of_token.size(); ++t) {
    const std::int64_t row = row_of_token[t];
    assert(row >= 0 && row < rows.rows());
    for (std::int64_t head = 0; head < cache.kv_heads; ++head) {
      const std::int64_t source = static_cast<std::int64_t>(t) * cache.kv_heads + head;
      encode_row(cache.k_type, read_row(in[0], source), rows.key(row, head));
      encode_row(cache.v_type, read_row(in[1], source), rows.value(row, head));
    }
  }
}

Cost KvAppend::cost(TensorSpan in) const {
  const CachePlanes row = cache_planes(cache, 1);
  const auto tokens = static_cast<double>(in[2].shape.elements());
  return {.flops = 0,
          .bytes_read = elementwise::bytes_of(in.first(4)),
          .bytes_written = tokens * static_cast<double>(row.k_row_bytes + row.v_row_bytes)};
}

Facts KvAppend::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[2].shape.elements());
  facts.set("sequences", in[4].rows());
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  set_cache_facts(facts, cache);
  return facts;
}

// Rounding to nearest fixes every bit of a float cache. A block's code may fall to either side of a tie, and its scale
// may differ in the last bit of f16: one step of the largest element, 1/7 for q4_0 and 1/127 for q8_0, per element.
Tolerance KvAppend::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const {
  return cache_tolerance(cache);
}

std::vector<Sample<KvAppend>> KvAppend::samples() {
  std::vector<Sample<KvAppend>> all;
  for (KvCase& c : kv_cases()) {
    const Dim tokens(c.batch.tokens);
    const Dim heads(c.cache.kv_heads);
    all.push_back({std::move(c.name),
                   KvAppend{c.cache},
                   {sample::normal(c.activation, {tokens, heads, Dim(c.cache.dk)}),
                    sample::normal(c.activation, {tokens, heads, Dim(c.cache.dv)}), c.batch.positions,
                    c.batch.sequences, c.batch.kv_table, c.batch.cache}});
  }
  const CacheSpec spec{.kv_heads = 3, .dk = 64, .dv = 64};
  const sample::Batch batch = sample::batch({{5, 4}});
  all.push_back({"k and v are parts of one tensor",
                 KvAppend{spec},
                 {sample::strided(DType::f32, {4, 3, 64}, 64), sample::strided(DType::f32, {4, 3, 64}, 64),
                  batch.positions, batch.sequences, batch.kv_table, batch.cache}});
  return all;
}

}  // namespace weft
