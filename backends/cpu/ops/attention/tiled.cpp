// Attention of many tokens. A unit is a run of neighbouring queries of one sequence, for one KV head and its group of
// query heads: their rows meet tiles of keys as two small matrix products around a running softmax.
#include <algorithm>
#include <cmath>

#include "backends/cpu/ops/attention/attention.hpp"

namespace weft::cpu {
namespace {

constexpr std::int64_t tile_keys = 64;
constexpr std::int64_t most_rows = 96;  // of queries times group, in a unit

std::int64_t round_up(std::int64_t n) { return (n + 15) / 16 * 16; }

/// Tokens [first, first + count) of one sequence.
struct QueryTile {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

class TiledAttention final : public Step {
 public:
  TiledAttention(StepPlan& plan, const Loops& loops) : plan_(plan, loops) {
    const CacheSpec& spec = plan_.op.cache;
    const std::int64_t group = plan_.q.shape[1].max / spec.kv_heads;
    tile_tokens_ = std::max<std::int64_t>(1, most_rows / group);
    rows_ = tile_tokens_ * group;
    dv_ = round_up(spec.dv);
    const auto floats = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(float); };
    StepPlan own;
    q_ = own.reserve(floats(rows_ * spec.dk));
    scores_ = own.reserve(floats(rows_ * tile_keys));
    out_ = own.reserve(floats(rows_ * dv_));
    keys_ = own.reserve(floats(spec.dk * tile_keys));
    values_ = own.reserve(floats(tile_keys * dv_));
    decoded_ = own.reserve(floats(tile_keys * std::max(spec.dk, spec.dv)));
    sums_ = own.reserve(floats(2 * rows_));
    own_bytes_ = own.scratch_bytes();
    workers_ = plan.reserve(own_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const AttentionBatch b = plan_.batch(c);
    const std::int64_t kv_heads = plan_.op.cache.kv_heads;
    std::int64_t unit = c.take_unit();
    std::int64_t index = 0;
    for (QueryTile t = next(b, 0); t.count > 0; t = next(b, t.first + t.count)) {
      for (std::int64_t head = 0; head < kv_heads; ++head, ++index) {
        if (index != unit) continue;
        attend(c, b, t, head);
        unit = c.take_unit();
      }
    }
  }

 private:
  /// The tile that starts at `token`: up to tile_tokens_ of one sequence.
  QueryTile next(const AttentionBatch& b, std::int64_t token) const {
    QueryTile t{token, 0};
    while (t.count < tile_tokens_ && token + t.count < b.tokens && b.sequences[token + t.count] == b.sequences[token]) {
      ++t.count;
    }
    return t;
  }

  float* own(const StepContext& c, std::size_t offset) const {
    return reinterpret_cast<float*>(c.scratch + workers_ + own_bytes_ * static_cast<std::size_t>(c.worker) + offset);
  }

  /// Row r is token r / group of the tile, head r % group of the group.
  void attend(const StepContext& c, const AttentionBatch& b, const QueryTile& t, std::int64_t kv_head) const {
    const std::int64_t rows = t.count * b.group;
    load_queries(c, b, t, kv_head);
    std::fill_n(own(c, out_), rows * dv_, 0.0F);
    std::fill_n(own(c, sums_), rows_, no_score);
    std::fill_n(own(c, sums_) + rows_, rows_, 0.0F);
    Visible all = plan_.visible(b, t.first);
    for (std::int64_t i = 1; i < t.count; ++i) {
      const Visible v = plan_.visible(b, t.first + i);
      all = {std::min(all.begin, v.begin), std::max(all.end, v.end)};
    }
    for (std::int64_t at = all.begin; at < all.end; at += tile_keys) {
      attend_keys(c, b, t, kv_head, {at, std::min(all.end, at + tile_keys)});
    }
    finish(c, b, t, kv_head);
  }

  void load_queries(const StepContext& c, const AttentionBatch& b, const QueryTile& t, std::int64_t kv_head) const {
    const std::int64_t dk = plan_.op.cache.dk;
    for (std::int64_t r = 0; r < t.count * b.group; ++r) {
      const std::byte* row = b.q.row((t.first + r / b.group) * b.heads + kv_head * b.group + r % b.group);
      float* to = own(c, q_) + r * dk;
      plan_.loops->copy(b.q.load(*plan_.loops, row, 0, dk, to), to, dk);
    }
  }

  void widen(const CacheRows& rows, std::int64_t row, float* out) const {
    const std::byte* from = rows.data + row * rows.stride_bytes;
    const auto* halves = reinterpret_cast<const std::uint16_t*>(from);
    switch (rows.type) {
      case DType::f32: return plan_.loops->copy(reinterpret_cast<const float*>(from), out, rows.width);
      case DType::f16: return plan_.loops->widen_f16(halves, out, rows.width);
      default: return plan_.loops->widen_bf16(halves, out, rows.width);
    }
  }

  /// Keys as columns [dk, tile_keys]; columns beyond the last key are zeros.
  void load_keys(const StepContext& c, const CacheRows& rows) const {
    float* keys = own(c, keys_);
    float* row = own(c, scores_);  // not in use yet, and at least as wide as a key
    if (rows.count < tile_keys) std::fill_n(keys, rows.width * tile_keys, 0.0F);
    for (std::int64_t k = 0; k < rows.count; ++k) {
      widen(rows, k, row);
      for (std::int64_t i = 0; i < rows.width; ++i) keys[i * tile_keys + k] = row[i];
    }
  }

  /// Values as rows [tile_keys, dv_]; columns beyond dv are zeros.
  void load_values(const StepContext& c, const CacheRows& rows) const {
    float* values = own(c, values_);
    for (std::int64_t k = 0; k < rows.count; ++k) {
      widen(rows, k, values + k * dv_);
      std::fill(values + k * dv_ + rows.width, values + (k + 1) * dv_, 0.0F);
    }
  }

  void attend_keys(const StepContext& c, const AttentionBatch& b, const QueryTile& t, std::int64_t kv_head,
                   Visible keys) const {
    const CacheSpec& spec = plan_.op.cache;
    const std::int64_t rows = t.count * b.group;
    const std::int64_t first = b.first_row(t.first) + keys.begin;
    const std::int64_t count = keys.end - keys.begin;
    load_keys(c, b.cache.keys(first, count, kv_head, own(c, decoded_)));
    load_values(c, b.cache.values(first, count, kv_head, own(c, decoded_)));
    const SmallProduct scores{rows, tile_keys, spec.dk, spec.dk, tile_keys, tile_keys};
    plan_.loops->product(scores, own(c, q_), own(c, keys_), own(c, scores_));
    plan_.finish_scores(own(c, scores_), rows * tile_keys);
    for (std::int64_t r = 0; r < rows; ++r) {
      const Visible v = plan_.visible(b, t.first + r / b.group);
      weigh(c, r, {std::max(v.begin, keys.begin) - keys.begin, std::min(v.end, keys.end) - keys.begin});
    }
    const SmallProduct mixed{rows, dv_, count, tile_keys, dv_, dv_};
    plan_.loops->product_add(mixed, own(c, scores_), own(c, values_), own(c, out_));
  }

  /// Scores of row `r` become weights; those outside `visible` (tile positions) become zero.
  void weigh(const StepContext& c, std::int64_t r, Visible visible) const {
    const Loops& loops = *plan_.loops;
    float* scores = own(c, scores_) + r * tile_keys;
    float& largest = own(c, sums_)[r];
    float& total = own(c, sums_)[rows_ + r];
    const std::int64_t count = std::max<std::int64_t>(0, visible.end - visible.begin);
    if (count == 0) {
      std::fill_n(scores, tile_keys, 0.0F);
      return;
    }
    const float next = std::max(largest, loops.max(scores + visible.begin, count));
    const float shrink = largest == no_score ? 0.0F : std::exp(largest - next);
    total = total * shrink + loops.exp_sum(scores + visible.begin, next, count);
    std::fill_n(scores, visible.begin, 0.0F);
    std::fill(scores + visible.end, scores + tile_keys, 0.0F);
    float* out = own(c, out_) + r * dv_;
    if (largest != no_score && shrink != 1.0F) loops.scale(shrink, out, out, dv_);
    largest = next;
  }

  void finish(const StepContext& c, const AttentionBatch& b, const QueryTile& t, std::int64_t kv_head) const {
    const Loops& loops = *plan_.loops;
    for (std::int64_t r = 0; r < t.count * b.group; ++r) {
      const std::int64_t head = kv_head * b.group + r % b.group;
      const float largest = own(c, sums_)[r];
      float total = own(c, sums_)[rows_ + r];
      float weight = 0;  // of a row that sees no key
      if (largest != no_score) {
        const float sink = b.sinks != nullptr ? b.sinks[head] : no_score;
        const float top = std::max(largest, sink);
        weight = std::exp(largest - top);
        total = total * weight + (sink == no_score ? 0.0F : std::exp(sink - top));
        weight /= total;
      }
      float* out = own(c, out_) + r * dv_;
      loops.scale(weight, out, out, plan_.op.cache.dv);
      b.y.store(loops, b.y.row((t.first + r / b.group) * b.heads + head), 0, plan_.op.cache.dv, out);
    }
  }

  AttentionPlan plan_;
  std::int64_t tile_tokens_ = 1, rows_ = 1, dv_ = 0;
  std::size_t q_ = 0, scores_ = 0, out_ = 0, keys_ = 0, values_ = 0, decoded_ = 0, sums_ = 0;
  std::size_t workers_ = 0, own_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Step>> make_tiled_attention(StepPlan& plan, const Loops& loops) {
  return std::make_unique<TiledAttention>(plan, loops);
}

}  // namespace weft::cpu
