// A decoder of a few layers in miniature, with all that a real one has: what placement and the executor are tested on.
#pragma once

#include <string>

#include "graph/example_graph.hpp"

namespace weft::graph::testing {

struct TinyModel {
  static constexpr std::int64_t width = ExampleGraph::width;
  static constexpr std::int64_t heads = 4;
  static constexpr std::int64_t kv_heads = 2;
  static constexpr std::int64_t d = 16;
  static constexpr std::int64_t hidden = 96;

  [[nodiscard]] static Result<Graph> build(int layers) {
    TinyModel m;
    m.batch = m.e.batch();
    ValueId x = m.e.activations("x");
    for (int i = 0; i < layers; ++i) {
      m.e.b.enter_layer(i, "blk." + std::to_string(i) + ".");
      x = m.layer(x, "blk." + std::to_string(i) + ".");
    }
    m.e.b.leave_layer();
    const ValueId h = m.norm("output_norm", "output_norm", x);
    m.e.b.output(m.e.b.quant_matmul("output", h, m.e.weight("output.weight", {37, width})));
    return m.e.b.finish();
  }

 private:
  ValueId norm(const std::string& name, const std::string& weight, ValueId x) {
    return e.b.rms_norm(name, x, e.weight(weight + ".weight", {width}), 1e-6F);
  }
  ValueId project(const std::string& name, const std::string& prefix, ValueId x, std::int64_t outputs) {
    const std::int64_t inputs = e.b.desc(x).width();
    return e.b.quant_matmul(name, x, e.weight(prefix + name + ".weight", {outputs, inputs}));
  }
  ValueId heads_of(ValueId x, std::int64_t count) {
    return e.b.reshape(x, Shape{Dim(1, Symbol::tokens), Dim(count), Dim(d)});
  }

  ValueId attention(ValueId h, const std::string& prefix) {
    const CacheSpec cache{KvLayout::contiguous, DType::f16, DType::f16, kv_heads, d, d};
    const RopeSpec spec = RopeSpec::plain(RopePairing::interleaved, d, 10000.0F);
    ValueId q = heads_of(project("attn_q", prefix, h, heads * d), heads);
    ValueId k = heads_of(project("attn_k", prefix, h, kv_heads * d), kv_heads);
    const ValueId v = heads_of(project("attn_v", prefix, h, kv_heads * d), kv_heads);
    q = e.b.rope("attn_q_rope", q, batch.positions, spec);
    k = e.b.rope("attn_k_rope", k, batch.positions, spec);
    const ValueId state = e.b.kv_append("kv_append", k, v, batch, e.cache(prefix + "cache"), cache);
    Attention attributes;
    attributes.cache = cache;
    attributes.scale = 0.25F;
    const ValueId mixed = e.b.attention("attention", q, batch, state, attributes);
    return e.b.reshape(mixed, Shape{Dim(1, Symbol::tokens), Dim(heads * d)});
  }

  ValueId layer(ValueId x, const std::string& prefix) {
    const ValueId mixed = attention(norm("attn_norm", prefix + "attn_norm", x), prefix);
    x = e.b.add("attn_residual", project("attn_output", prefix, mixed, width), x);
    const ValueId h = norm("ffn_norm", prefix + "ffn_norm", x);
    const ValueId gate = project("ffn_gate", prefix, h, hidden);
    const ValueId up = project("ffn_up", prefix, h, hidden);
    const ValueId y = e.b.glu("ffn_glu", gate, up, ActivationKind::silu);
    return e.b.add("ffn_residual", project("ffn_down", prefix, y, width), x);
  }

  ExampleGraph e;
  BatchInputs batch;
};

}  // namespace weft::graph::testing
