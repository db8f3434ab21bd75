// Attention of a few tokens. A unit is one part of the keys that a token sees, for all heads: a tile of cache rows is
// read once and in the order in which it lies. Parts depend on the number of keys and the plan alone, so results don't
// depend on the number of workers.
#include <algorithm>
#include <cmath>

#include "backends/cpu/ops/attention/attention.hpp"

namespace weft::cpu {
namespace {

constexpr std::int64_t tile = 32;        // keys whose scores are held at a time
constexpr std::int64_t part_keys = 64;   // at least, in each part but the last
constexpr std::int64_t all_parts = 512;  // of all tokens of a plan
constexpr std::int64_t most_parts = 64;  // of one token

class SplitAttention final : public Step {
 public:
  SplitAttention(StepPlan& plan, const Loops& loops) : plan_(plan, loops) {
    const CacheSpec& spec = plan_.op.cache;
    const std::int64_t heads = plan_.q.shape[1].max;
    const std::int64_t group = heads / spec.kv_heads;
    const auto floats = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(float); };
    const std::int64_t tokens = std::max<std::int64_t>(plan_.q.shape[0].max, 1);
    parts_ = std::clamp<std::int64_t>(all_parts / tokens, 1, most_parts);
    record_ = 2 + spec.dv;
    partials_ = plan.reserve(floats(tokens * heads * parts_ * record_));
    StepPlan own;
    own_q_ = own.reserve(floats(heads * spec.dk));
    own_scores_ = own.reserve(floats(group * tile));
    own_rows_ = own.reserve(floats(tile * std::max(spec.dk, spec.dv)));
    own_out_ = own.reserve(floats(heads * spec.dv));
    own_bytes_ = own.scratch_bytes();
    workers_ = plan.reserve(own_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  int phases(const SymbolValues& /*symbols*/) const override { return 2; }

  void run(const StepContext& c) const override {
    const AttentionBatch b = plan_.batch(c);
    if (c.phase == 0) {
      attend(c, b);
    } else {
      merge(c, b);
    }
  }

 private:
  float* own(const StepContext& c, std::size_t offset) const {
    return reinterpret_cast<float*>(c.scratch + workers_ + own_bytes_ * static_cast<std::size_t>(c.worker) + offset);
  }
  /// Maximum, sum of weights, and unnormalised output of a head's part.
  float* partial(const StepContext& c, const AttentionBatch& b, std::int64_t token, std::int64_t head,
                 std::int64_t part) const {
    return reinterpret_cast<float*>(c.scratch + partials_) + ((token * b.heads + head) * parts_ + part) * record_;
  }

  std::int64_t parts_of(const Visible& v) const {
    return std::clamp((v.end - v.begin + part_keys - 1) / part_keys, std::int64_t{1}, parts_);
  }

  void attend(const StepContext& c, const AttentionBatch& b) const {
    std::int64_t units = 0;
    for (std::int64_t t = 0; t < b.tokens; ++t) units += parts_of(plan_.visible(b, t));
    const Share share = share_of(units, c);
    std::int64_t before = 0;
    for (std::int64_t t = 0; t < b.tokens && before < share.end; ++t) {
      const Visible v = plan_.visible(b, t);
      const std::int64_t parts = parts_of(v);
      const std::int64_t keys = v.end - v.begin;
      const std::int64_t first = std::max(share.begin - before, std::int64_t{0});
      const std::int64_t last = std::min(share.end - before, parts);
      if (first < last) load_queries(c, b, t);
      for (std::int64_t p = first; p < last; ++p) {
        attend_part(c, b, {t, p}, {v.begin + keys * p / parts, v.begin + keys * (p + 1) / parts});
      }
      before += parts;
    }
  }

  struct Unit {
    std::int64_t token, part;
  };

  void load_queries(const StepContext& c, const AttentionBatch& b, std::int64_t token) const {
    const std::int64_t dk = plan_.op.cache.dk;
    for (std::int64_t h = 0; h < b.heads; ++h) {
      float* to = own(c, own_q_) + h * dk;
      plan_.loops->copy(b.q.load(*plan_.loops, b.q.row(token * b.heads + h), 0, dk, to), to, dk);
    }
  }

  void attend_part(const StepContext& c, const AttentionBatch& b, const Unit& u, Visible keys) const {
    const CacheSpec& spec = plan_.op.cache;
    for (std::int64_t h = 0; h < b.heads; ++h) {
      float* p = partial(c, b, u.token, h, u.part);
      p[0] = no_score;
      p[1] = 0;
    }
    float* out = own(c, own_out_);
    std::fill_n(out, b.heads * spec.dv, 0.0F);
    const std::int64_t first_row = b.first_row(u.token);
    for (std::int64_t at = keys.begin; at < keys.end; at += tile) {
      const std::int64_t count = std::min(tile, keys.end - at);
      for (std::int64_t g = 0; g < spec.kv_heads; ++g)
        attend_tile(c, b, u, g, {first_row + at, first_row + at + count});
    }
    for (std::int64_t h = 0; h < b.heads; ++h) {
      plan_.loops->copy(out + h * spec.dv, partial(c, b, u.token, h, u.part) + 2, spec.dv);
    }
  }

  /// Cache rows [begin, end), added to the running softmax of each query head of KV head `kv_head`.
  void attend_tile(const StepContext& c, const AttentionBatch& b, const Unit& u, std::int64_t kv_head,
                   Visible cache_rows) const {
    const Loops& loops = *plan_.loops;
    const CacheSpec& spec = plan_.op.cache;
    const std::int64_t count = cache_rows.end - cache_rows.begin;
    float* scores = own(c, own_scores_);
    float* rows = own(c, own_rows_);
    const float* q = own(c, own_q_) + kv_head * b.group * spec.dk;
    float* out = own(c, own_out_) + kv_head * b.group * spec.dv;
    loops.scores(b.cache.keys(cache_rows.begin, count, kv_head, rows), q, b.group, scores, tile);
    for (std::int64_t h = 0; h < b.group; ++h) {
      float* s = scores + h * tile;
      plan_.finish_scores(s, count);
      float* p = partial(c, b, u.token, kv_head * b.group + h, u.part);
      const float largest = std::max(p[0], loops.max(s, count));
      const float shrink = p[0] == no_score ? 0.0F : std::exp(p[0] - largest);
      p[1] = p[1] * shrink + loops.exp_sum(s, largest, count);
      if (p[0] != no_score && shrink != 1.0F) loops.scale(shrink, out + h * spec.dv, out + h * spec.dv, spec.dv);
      p[0] = largest;
    }
    loops.weighted_sum(b.cache.values(cache_rows.begin, count, kv_head, rows), scores, tile, b.group, out);
  }

  /// One token's head: its parts weighted by exp(part maximum - maximum).
  void merge(const StepContext& c, const AttentionBatch& b) const {
    const Loops& loops = *plan_.loops;
    const std::int64_t dv = plan_.op.cache.dv;
    const Share share = share_of(b.tokens * b.heads, c);
    float* out = own(c, own_out_);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const std::int64_t token = i / b.heads;
      const std::int64_t head = i % b.heads;
      const std::int64_t parts = parts_of(plan_.visible(b, token));
      const float sink = b.sinks != nullptr ? b.sinks[head] : no_score;
      float largest = sink;
      for (std::int64_t p = 0; p < parts; ++p) largest = std::max(largest, partial(c, b, token, head, p)[0]);
      float total = sink == no_score ? 0.0F : std::exp(sink - largest);
      for (std::int64_t p = 0; p < parts; ++p) {
        const float* from = partial(c, b, token, head, p);
        if (from[1] != 0) total += from[1] * std::exp(from[0] - largest);
      }
      std::fill_n(out, dv, 0.0F);
      for (std::int64_t p = 0; p < parts; ++p) {
        const float* from = partial(c, b, token, head, p);
        if (from[1] == 0) continue;
        const float weight = std::exp(from[0] - largest) / total;
        for (std::int64_t j = 0; j < dv; ++j) out[j] += weight * from[2 + j];
      }
      b.y.store(loops, b.y.row(i), 0, dv, out);
    }
  }

  AttentionPlan plan_;
  std::int64_t parts_ = 1;
  std::int64_t record_ = 0;
  std::size_t partials_ = 0, workers_ = 0, own_bytes_ = 0;
  std::size_t own_q_ = 0, own_scores_ = 0, own_rows_ = 0, own_out_ = 0;
};

}  // namespace

Result<std::unique_ptr<Step>> make_split_attention(StepPlan& plan, const Loops& loops) {
  return std::make_unique<SplitAttention>(plan, loops);
}

}  // namespace weft::cpu
