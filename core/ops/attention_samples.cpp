// Calls of attention that every kernel should meet.
#include "core/ops/attention_samples.hpp"

#include <cmath>

#include "core/ops/kv_samples.hpp"

namespace weft {
namespace {

using sample::BatchEntry;

Attention with_default_scale(const CacheSpec& cache) {
  Attention op;
  op.cache = cache;
  op.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(cache.dk)));
  return op;
}

Sample<Attention> call(std::string name, const Attention& op, SampleInput q, const sample::Batch& b,
                       SampleInput sinks = sample::absent()) {
  return {std::move(name),
          op,
          {std::move(q), b.positions, b.sequences, b.kv_table, b.kv_lengths, b.cache, std::move(sinks)}};
}

SampleInput queries(DType type, const sample::Batch& b, std::int64_t heads, std::int64_t dk) {
  return sample::normal(type, {b.tokens, heads, dk});
}

void add_cases(std::vector<Sample<Attention>>& all) {
  for (const KvCase& c : kv_cases()) {
    all.push_back(call(c.name, with_default_scale(c.cache),
                       queries(c.activation, c.batch, c.group * c.cache.kv_heads, c.cache.dk), c.batch));
  }
}

/// Windows of one key, shorter than, as long as and longer than a chunk, with history and without.
void add_windows(std::vector<Sample<Attention>>& all) {
  const CacheSpec cache{.kv_heads = 2, .dk = 64, .dv = 64};
  for (const std::int64_t window : {1, 3, 8, 16, 17, 1024}) {
    for (const auto& entries : {std::vector<BatchEntry>{{0, 16}}, {{29, 7}}, {{40, 1}}, {{2, 3}, {50, 5}, {0, 1}}}) {
      Attention op = with_default_scale(cache);
      op.window = window;
      const sample::Batch b = sample::batch(entries);
      all.push_back(call(fmt::format("window {}, {} tokens after {}", window, b.tokens, entries.front().history), op,
                         queries(DType::f32, b, 4, 64), b));
    }
  }
}

void add_softcaps_and_sinks(std::vector<Sample<Attention>>& all) {
  const CacheSpec cache{.kv_heads = 1, .dk = 64, .dv = 64};
  for (const auto& [history, tokens] : {BatchEntry{0, 1}, BatchEntry{64, 1}, BatchEntry{5, 9}}) {
    const sample::Batch b = sample::batch({{history, tokens}});
    Attention capped = with_default_scale(cache);
    capped.softcap = 2.0F;
    const std::string where = fmt::format(", {} tokens after {}", tokens, history);
    const SampleInput q = queries(DType::f32, b, 3, 64);
    all.push_back(call("soft-cap 2" + where, capped, q, b));
    const SampleInput sinks = sample::values(DType::f32, {3}, {-4.0F, 0.5F, 6.0F});
    all.push_back(call("sinks" + where, with_default_scale(cache), q, b, sinks));
    capped.window = 4;
    all.push_back(call("soft-cap, sinks, window" + where, capped, q, b, sinks));
  }
  Attention own_scale = with_default_scale(cache);
  own_scale.scale = 0.03125F;
  const sample::Batch b = sample::batch({{9, 2}});
  all.push_back(call("scale other than 1 / sqrt(d)", own_scale, queries(DType::f32, b, 3, 64), b));
}

/// Long rows, as kernels split them, with borders off by one.
void add_long_rows(std::vector<Sample<Attention>>& all) {
  const CacheSpec cache{.kv_heads = 1, .dk = 64, .dv = 64};
  for (const std::int32_t history : {30, 31, 32, 63, 64, 127, 128, 255, 511, 1000}) {
    const sample::Batch b = sample::batch({{history, 1}});
    all.push_back(
        call(fmt::format("decode at {}", history), with_default_scale(cache), queries(DType::f32, b, 3, 64), b));
  }
  const sample::Batch uneven = sample::batch({{600, 1}, {0, 1}, {33, 1}, {0, 0}, {127, 1}});
  all.push_back(
      call("decode of uneven sequences", with_default_scale(cache), queries(DType::f32, uneven, 4, 64), uneven));
  const sample::Batch chunk = sample::batch({{100, 65}});
  all.push_back(call("chunk of 65 after 100", with_default_scale(cache), queries(DType::f16, chunk, 2, 64), chunk));
}

/// q = [4, 0, …] against two keys of which the first is the unit vector: scores 4 and 0, values 1 and 0 (the rest of
/// the head is zero). Outputs 0.982014, 0.981863, 0.965115, 0.730927 for caps 0, 50, 5, 1.
void add_two_keys(std::vector<Sample<Attention>>& all) {
  constexpr std::int64_t d = 32;
  const CacheSpec cache{.k_type = DType::f32, .v_type = DType::f32, .kv_heads = 1, .dk = d, .dv = d};
  std::vector<float> state(4 * d, 0.0F);  // keys of two rows; values start at 256 bytes, right after them
  state[0] = 1.0F;
  state[2 * d] = 1.0F;
  std::vector<float> q(d, 0.0F);
  q[0] = 4.0F;
  for (const float cap : {0.0F, 50.0F, 5.0F, 1.0F}) {
    Attention op;
    op.cache = cache;
    op.scale = 1.0F;
    op.softcap = cap;
    sample::Batch b = sample::batch({{1, 1}});
    b.cache.fill = Fill::of(state);
    all.push_back(
        call(fmt::format("scores 4 and 0, soft-cap {}", cap), op, sample::values(DType::f32, {1, 1, d}, q), b));
  }
}

/// Widths of a head and group sizes that real models pair, none of them a multiple of what kernels like; alone and as a
/// chunk, with a soft-cap that must come before the exponential whatever its base.
void add_odd_shapes(std::vector<Sample<Attention>>& all) {
  struct Heads {
    std::int64_t dk, dv, group;
  };
  for (const auto& [dk, dv, group] : {Heads{80, 80, 5}, {96, 96, 3}, {192, 128, 5}, {256, 256, 7}, {512, 512, 16}}) {
    for (const auto& [history, tokens] : {BatchEntry{40, 1}, BatchEntry{3, 19}}) {
      Attention op = with_default_scale({.kv_heads = 1, .dk = dk, .dv = dv});
      op.softcap = 5.0F;
      const sample::Batch b = sample::batch({{history, tokens}});
      all.push_back(call(fmt::format("d {}/{}, {} query heads a KV head, {} tokens", dk, dv, group, tokens), op,
                         queries(DType::f32, b, group, dk), b));
    }
  }
}

}  // namespace

std::vector<Sample<Attention>> attention_samples() {
  std::vector<Sample<Attention>> all;
  add_cases(all);
  add_windows(all);
  add_softcaps_and_sinks(all);
  add_long_rows(all);
  add_two_keys(all);
  add_odd_shapes(all);
  const CacheSpec cache{.kv_heads = 3, .dk = 64, .dv = 64};
  const sample::Batch b = sample::batch({{4, 5}});
  all.push_back(call("strided queries", with_default_scale(cache), sample::strided(DType::f32, {5, 9, 64}, 64), b));
  return all;
}

}  // namespace weft
