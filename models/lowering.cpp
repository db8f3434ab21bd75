// One decoder for all families: each difference between them is a field of the specification or a weight that is there.
#include "models/lowering.hpp"

#include <fmt/core.h>

#include "graph/builder.hpp"

namespace weft::models {
namespace {

using graph::absent_value;
using graph::ValueId;

// Symbols get their real maxima when a plan is made; until then any size will do.
constexpr std::int64_t any_size = 1;

class Lowering {
 public:
  Lowering(const ModelSpec& spec, const Weights& weights, const LoweringOptions& options)
      : spec_(spec), weights_(weights), options_(options) {}

  Result<LoweredModel> run() {
    make_inputs();
    const ValueId table = weight("token_embd.weight", {spec_.vocab, spec_.width});
    divisors_ = optional_weight("rope_freqs.weight", {spec_.layers.front().attention.rope.rotated / 2});
    ValueId x = b_.embed("token_embd", ids_, table, spec_.embedding_scale);
    for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
      b_.enter_layer(static_cast<int>(i), fmt::format("blk.{}.", i));
      x = layer(spec_.layers[i], x, i);
    }
    b_.leave_layer();
    b_.output(head(x, table));
    auto graph = b_.finish();
    if (!graph) return error_of(graph);
    return LoweredModel{std::move(*graph), std::move(caches_)};
  }

 private:
  void make_inputs() {
    const auto ints = [](Symbol symbol) { return TensorDesc::dense(DType::i32, Shape{Dim(any_size, symbol)}); };
    const TensorDesc table = TensorDesc::dense(DType::i32, Shape{Dim(any_size, Symbol::sequences), Dim(1)});
    ids_ = b_.input("ids", ints(Symbol::tokens));
    batch_.positions = b_.input("positions", ints(Symbol::tokens));
    batch_.sequences = b_.input("sequences", ints(Symbol::tokens));
    batch_.kv_table = b_.input("kv_table", table);
    batch_.kv_lengths = b_.input("kv_lengths", ints(Symbol::sequences));
    rows_ = b_.input("output_rows", ints(Symbol::outputs));
  }

  ValueId constant(Result<std::shared_ptr<const HostTensor>> tensor) {
    if (!tensor) {
      b_.fail_with(tensor.error());
      return absent_value;
    }
    return b_.constant(std::move(*tensor));
  }
  ValueId weight(std::string_view name, const Shape& shape) { return constant(weights_.require(name, shape)); }
  ValueId optional_weight(std::string_view name, const Shape& shape) {
    return constant(weights_.optional(name, shape));
  }
  /// `blk.N.<name>` of the current layer.
  std::string in_layer(std::string_view name) const { return fmt::format("blk.{}.{}", layer_, name); }
  ValueId norm_weight(std::string_view name, std::int64_t width) {
    return weight(in_layer(fmt::format("{}.weight", name)), {width});
  }
  ValueId norm(std::string_view name, ValueId x, std::int64_t width) {
    return b_.rms_norm(name, x, norm_weight(name, width), spec_.norm_eps);
  }
  ValueId project(std::string_view name, ValueId x, std::int64_t outputs, std::int64_t inputs) {
    const ValueId w = weight(in_layer(fmt::format("{}.weight", name)), {outputs, inputs});
    return b_.quant_matmul(name, x, w, optional_weight(in_layer(fmt::format("{}.bias", name)), {outputs}));
  }
  static Shape per_head(std::int64_t heads, std::int64_t d) {
    return {Dim(any_size, Symbol::tokens), Dim(heads), Dim(d)};
  }

  ValueId layer(const LayerSpec& l, ValueId x, std::size_t index) {
    layer_ = index;
    ValueId mixed = attention(l.attention, norm("attn_norm", x, spec_.width));
    if (index + 1 == spec_.layers.size()) {
      // Nothing after the last attention mixes tokens, so only rows whose logits are wanted go on.
      mixed = b_.embed("attn_rows", rows_, mixed, 1.0F);
      x = b_.embed("residual_rows", rows_, x, 1.0F);
    }
    ValueId out = project("attn_output", mixed, spec_.width, l.attention.heads * l.attention.dv);
    if (l.post_attention_norm) out = norm("post_attention_norm", out, spec_.width);
    x = b_.add("attn_residual", out, x);
    out = feed_forward(l.feed_forward, norm("ffn_norm", x, spec_.width));
    if (l.post_feed_forward_norm) out = norm("post_ffw_norm", out, spec_.width);
    return b_.add("ffn_residual", out, x);
  }

  ValueId attention(const AttentionSpec& a, ValueId h) {
    ValueId q = b_.reshape(project("attn_q", h, a.heads * a.dk, spec_.width), per_head(a.heads, a.dk));
    ValueId k = b_.reshape(project("attn_k", h, a.kv_heads * a.dk, spec_.width), per_head(a.kv_heads, a.dk));
    const ValueId v = b_.reshape(project("attn_v", h, a.kv_heads * a.dv, spec_.width), per_head(a.kv_heads, a.dv));
    if (a.qk_norm) {
      q = norm("attn_q_norm", q, a.dk);
      k = norm("attn_k_norm", k, a.dk);
    }
    if (a.rope.rotated > 0) {
      q = b_.rope("q_rope", q, batch_.positions, a.rope, divisors_);
      k = b_.rope("k_rope", k, batch_.positions, a.rope, divisors_);
    }
    const CacheSpec cache{.layout = KvLayout::contiguous,
                          .k_type = options_.k_type,
                          .v_type = options_.v_type,
                          .kv_heads = a.kv_heads,
                          .dk = a.dk,
                          .dv = a.dv};
    caches_.push_back(cache);
    ValueId state = b_.state(in_layer("cache"), TensorDesc::dense(DType::state, Shape{Dim(any_size, Symbol::kv_rows)}));
    state = b_.kv_append("kv_append", k, v, batch_, state, cache);
    Attention attributes;
    attributes.cache = cache;
    attributes.scale = a.scale;
    attributes.window = a.window;
    attributes.softcap = a.softcap;
    const ValueId mixed = b_.attention("attention", q, batch_, state, attributes);
    return b_.reshape(mixed, Shape{Dim(any_size, Symbol::tokens), Dim(a.heads * a.dv)});
  }

  ValueId feed_forward(const FeedForwardSpec& f, ValueId h) {
    const ValueId gate = project("ffn_gate", h, f.width, spec_.width);
    const ValueId up = project("ffn_up", h, f.width, spec_.width);
    return project("ffn_down", b_.glu("ffn_glu", gate, up, f.activation), spec_.width, f.width);
  }

  ValueId head(ValueId x, ValueId table) {
    const ValueId h = b_.rms_norm("output_norm", x, weight("output_norm.weight", {spec_.width}), spec_.norm_eps);
    const ValueId own = optional_weight("output.weight", {spec_.vocab, spec_.width});
    ValueId logits = b_.quant_matmul("output", h, own == absent_value ? table : own);
    if (spec_.logit_scale != 1.0F) logits = b_.scale("logit_scale", logits, spec_.logit_scale);
    if (spec_.final_softcap > 0) logits = b_.softcap("final_softcap", logits, spec_.final_softcap);
    return logits;
  }

  const ModelSpec& spec_;
  const Weights& weights_;
  const LoweringOptions& options_;
  graph::GraphBuilder b_;
  graph::BatchInputs batch_;
  ValueId ids_ = absent_value;
  ValueId rows_ = absent_value;
  ValueId divisors_ = absent_value;
  std::vector<CacheSpec> caches_;
  std::size_t layer_ = 0;
};

}  // namespace

Result<LoweredModel> lower(const ModelSpec& spec, const Weights& weights, const LoweringOptions& options) {
  return Lowering(spec, weights, options).run();
}

}  // namespace weft::models
