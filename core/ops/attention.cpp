// Attention over the KV cache.
#include "core/ops/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/attention_samples.hpp"
#include "core/ops/dot.hpp"
#include "core/ops/elementwise.hpp"
#include "core/ops/kv_operands.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/tolerances.hpp"
#include "core/quant/block_format.hpp"

namespace weft {
namespace {

enum class Values : std::uint8_t { plain, absolute };

/// Neighbouring tokens of one sequence.
struct Run {
  std::size_t first = 0;
  std::size_t count = 0;
  std::int64_t first_row = 0;  ///< in the cache
  std::int64_t length = 0;     ///< rows that are valid
};

std::vector<Run> runs_of(ConstHostViews in) {
  const std::vector<std::int32_t> sequences = read_integers(in[2]);
  const std::vector<std::int32_t> table = read_integers(in[3]);
  const std::vector<std::int32_t> lengths = read_integers(in[4]);
  std::vector<Run> runs;
  for (std::size_t t = 0; t < sequences.size(); ++t) {
    if (t > 0 && sequences[t] == sequences[t - 1]) {
      ++runs.back().count;
      continue;
    }
    const auto s = static_cast<std::size_t>(sequences[t]);
    runs.push_back({t, 1, table[s], lengths[s]});
  }
  return runs;
}

/// Decoded rows of one KV head: [length, d].
struct HeadRows {
  std::int64_t d = 0;
  std::vector<float> values;
  [[nodiscard]] const float* row(std::int64_t k) const { return values.data() + k * d; }
  [[nodiscard]] std::span<float> row(std::int64_t k) {
    return std::span(values).subspan(static_cast<std::size_t>(k * d), static_cast<std::size_t>(d));
  }
};

/// One query's softmax over the keys that it sees.
class Query {
 public:
  Query(const Attention& op, std::int64_t position, std::int64_t length) : op_(op) {
    end_ = std::min(position + 1, length);
    begin_ = op.window > 0 ? std::max<std::int64_t>(0, position - op.window + 1) : 0;
  }
  /// Fills `weights_` with the softmax of the scores; `sink` is -inf where there is none.
  void score(std::span<const float> q, const HeadRows& keys, double sink) {
    weights_.clear();
    double largest = sink;
    for (std::int64_t k = begin_; k < end_; ++k) {
      double s = op_.scale * dot(q.data(), keys.row(k), q.size());
      if (op_.softcap > 0) s = op_.softcap * std::tanh(s / op_.softcap);
      weights_.push_back(s);
      largest = std::max(largest, s);
    }
    double total = std::isinf(sink) ? 0.0 : std::exp(sink - largest);
    for (double& w : weights_) total += w = std::exp(w - largest);
    for (double& w : weights_) w /= total;
  }
  void mix(const HeadRows& values, Values kind, std::span<double> y) const {
    std::fill(y.begin(), y.end(), 0.0);
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const float* value = values.row(begin_ + static_cast<std::int64_t>(k));
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] += weights_[k] * (kind == Values::absolute ? std::abs(value[i]) : value[i]);
      }
    }
  }

 private:
  const Attention& op_;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
  std::vector<double> weights_;
};

class Evaluation {
 public:
  Evaluation(const Attention& op, ConstHostViews in, Values kind, const MutableHostView& out)
      : op_(op),
        in_(in),
        kind_(kind),
        out_(out),
        cache_(op.cache, in[5].width(), in[5].data),
        positions_(read_integers(in[1])),
        sinks_(read_all(in[6])) {}

  void run() {
    for (const Run& r : runs_of(in_)) {
      for (std::int64_t kv_head = 0; kv_head < op_.cache.kv_heads; ++kv_head) {
        load_head(r, kv_head);
        for (std::size_t t = r.first; t < r.first + r.count; ++t) token(t, kv_head, r.length);
      }
    }
  }

 private:
  void load_head(const Run& run, std::int64_t head) {
    keys_ = {op_.cache.dk, std::vector<float>(static_cast<std::size_t>(run.length * op_.cache.dk))};
    values_ = {op_.cache.dv, std::vector<float>(static_cast<std::size_t>(run.length * op_.cache.dv))};
    for (std::int64_t k = 0; k < run.length; ++k) {
      decode_row(op_.cache.k_type, cache_.key(run.first_row + k, head), keys_.row(k));
      decode_row(op_.cache.v_type, cache_.value(run.first_row + k, head), values_.row(k));
    }
  }
  void token(std::size_t t, std::int64_t kv_head, std::int64_t length) {
    const std::int64_t heads = in_[0].desc.shape[1].max;
    const std::int64_t group = heads / op_.cache.kv_heads;
    Query query(op_, positions_[t], length);
    std::vector<double> y(static_cast<std::size_t>(op_.cache.dv));
    for (std::int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head) {
      const std::int64_t row = static_cast<std::int64_t>(t) * heads + head;
      const double sink = sinks_.empty() ? -std::numeric_limits<double>::infinity()
                                         : static_cast<double>(sinks_[static_cast<std::size_t>(head)]);
      query.score(read_row(in_[0], row), keys_, sink);
      query.mix(values_, kind_, y);
      write_row(out_, row, y);
    }
  }

  const Attention& op_;
  ConstHostViews in_;
  Values kind_;
  MutableHostView out_;
  CacheRows<const std::byte> cache_;
  std::vector<std::int32_t> positions_;
  std::vector<float> sinks_;
  HeadRows keys_;
  HeadRows values_;
};

/// The most rows that one sequence can have, as far as descriptors tell: the cache's rows shared among the sequences.
std::int64_t longest(TensorSpan in) { return in[5].width() / std::max<std::int64_t>(1, in[3].rows()); }

}  // namespace

Result<TensorDescs> Attention::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check_cache_spec(check, cache);
  const Dim tokens = check.dim(0, 0);
  const Dim heads = check.dim(0, 1);
  check.activation(0).rank(0, 3).width(0, Dim(cache.dk));
  check.that(0, cache.kv_heads > 0 && heads.max > 0 && heads.max % cache.kv_heads == 0,
             fmt::format("a multiple of {} heads", cache.kv_heads));
  check_batch(check, {.positions = 1, .sequences = 2, .kv_table = 3, .cache = 5}, tokens);
  check.integers(4, check.dim(3, 0)).vector(6, heads);
  check.that(window >= 0, "window", fmt::format("{}", window), "0 (none) or more");
  check.that(softcap >= 0 && std::isfinite(softcap), "softcap", fmt::format("{}", softcap), "0 (none) or more");
  if (!check.ok()) return check.error();
  return TensorDescs{TensorDesc::dense(in[0].dtype, {tokens, heads, Dim(cache.dv)})};
}

void Attention::reference(ConstHostViews in, MutableHostViews out) const {
  Evaluation(*this, in, Values::plain, out[0]).run();
}

void Attention::magnitude(ConstHostViews in, MutableHostViews out) const {
  Evaluation(*this, in, Values::absolute, out[0]).run();
}

Cost Attention::cost(TensorSpan in) const {
  const CachePlanes row = cache_planes(cache, 1);
  const auto visible = static_cast<double>(window > 0 ? std::min(window, longest(in)) : longest(in));
  const auto query_heads = static_cast<double>(in[0].rows());
  const auto sequences = static_cast<double>(in[3].rows());
  return {.flops = 2 * query_heads * visible * static_cast<double>(cache.dk + cache.dv),
          .bytes_read = elementwise::bytes_of(in.first(5)) +
                        sequences * visible * static_cast<double>(row.k_row_bytes + row.v_row_bytes),
          .bytes_written = query_heads * static_cast<double>(row_bytes(in[0].dtype, cache.dv))};
}

Facts Attention::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[0].shape[0].max);
  facts.set("sequences", in[3].rows());
  facts.set("heads", in[0].shape[1].max);
  facts.set("group", in[0].shape[1].max / std::max<std::int64_t>(1, cache.kv_heads));
  facts.set("kv_len", longest(in));
  facts.set("window", window);
  facts.set("softcap", std::int64_t{softcap > 0});
  facts.set("sinks", std::int64_t{in[6].present()});
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  set_cache_facts(facts, cache);
  return facts;
}

// A score is a dot product of length dk: with elements of order 1 its sum of absolute products is about 0.64 dk, scaled
// by `scale`. Its error, twice (numerator and denominator), is the relative error of a weight; the sums over keys add
// a walk of sqrt(kv_len) roundings. int8: a query's step is max|q| / 440 per element, crest 8, against keys of order 1.
Tolerance Attention::tolerance(TensorSpan in, ActivationPrecision precision) const {
  const auto dk = static_cast<double>(cache.dk);
  const double score_size = std::max(1.0, 0.64 * dk * std::abs(static_cast<double>(scale)));
  const double score_error = (4 + 4 * std::sqrt(dk)) * roundoff_f32 * score_size;
  Tolerance t = rounding_tolerance(16 + 4 * std::sqrt(static_cast<double>(longest(in))), in[0].dtype);
  t.relative += 2 * score_error;
  if (precision == ActivationPrecision::int8) t.relative += 2 * 6.0 / 440 * 8 * std::sqrt(dk) * std::abs(scale);
  return t;
}

std::vector<Sample<Attention>> Attention::samples() { return attention_samples(); }

}  // namespace weft
