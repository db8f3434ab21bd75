// [RmsNorm q] -> Rope q, [RmsNorm k] -> Rope k, v -> KvAppend, read by one attention   =>   QkNormRopeAppend
#include <algorithm>

#include "graph/example_graph.hpp"
#include "graph/rewrites.hpp"

namespace weft::graph {
namespace {

/// Bound from the attention that reads q and the cache; the attention itself stays. Norms with a weight are bound in
/// replace(): a pattern couldn't tell a per-head norm from the norm of some other input.
Pattern attention_pattern() {
  const auto rope = [](const char* name, const char* x) {
    return Pattern::of<Rope>(name, Pattern::any(x), Pattern::any("positions"), Pattern::optional("divisors"));
  };
  return Pattern::of<Attention>(
      "attention", rope("rope_q", "q"), Pattern::any("positions"), Pattern::any("sequences"), Pattern::any("kv_table"),
      Pattern::any("kv_lengths"),
      Pattern::of<KvAppend>("append", rope("rope_k", "k"), Pattern::any("v"), Pattern::any("positions"),
                            Pattern::any("sequences"), Pattern::any("kv_table"), Pattern::any("cache")));
}

/// A norm that only the rotation reads, over the heads of x.
struct HeadNorm {
  NodeId node = no_node;
  ValueId x = absent_value;
  ValueId weight = absent_value;
  const RmsNorm* op = nullptr;
};

HeadNorm head_norm(const GraphIndex& index, ValueId rotated) {
  const HeadNorm none{no_node, rotated, absent_value, nullptr};
  const NodeId id = index.producer(rotated);
  if (id == no_node || index.users(rotated).size() != 1) return none;
  const Node& node = index.graph().node(id);
  const auto* norm = std::get_if<RmsNorm>(&node.op);
  if (norm == nullptr || node.inputs[1] == absent_value) return none;
  return {id, node.inputs[0], node.inputs[1], norm};
}

std::optional<Replacement> replace(const GraphIndex& index, const Match& m) {
  const Graph& graph = index.graph();
  const auto& rope = std::get<Rope>(graph.node(m.node("rope_q")).op);
  if (!(rope == std::get<Rope>(graph.node(m.node("rope_k")).op)) || m.node("rope_q") == m.node("rope_k")) {
    return std::nullopt;
  }
  QkNormRopeAppend op;
  op.rope = rope.spec;
  op.cache = std::get<KvAppend>(graph.node(m.node("append")).op).cache;
  const HeadNorm q = head_norm(index, m.value("q"));
  const HeadNorm k = head_norm(index, m.value("k"));
  if (q.op != nullptr && k.op != nullptr && !(*q.op == *k.op)) return std::nullopt;
  if (const RmsNorm* norm = q.op != nullptr ? q.op : k.op) {
    op.eps = norm->eps;
    op.weight_offset = norm->weight_offset;
  }
  Replacement r{op,
                {q.x, k.x, m.value("v"), q.weight, k.weight, m.value("positions"), m.value("sequences"),
                 m.value("kv_table"), m.value("cache"), m.value("divisors")},
                {m.value("rope_q"), m.value("append")},
                {m.node("rope_q"), m.node("rope_k"), m.node("append")}};
  for (const NodeId norm : {q.node, k.node}) {
    if (norm != no_node) r.parts.push_back(norm);
  }
  std::ranges::sort(r.parts);
  return r;
}

Result<Graph> example() {
  ExampleGraph e;
  constexpr std::int64_t heads = 4;
  constexpr std::int64_t kv_heads = 2;
  constexpr std::int64_t d = 32;
  const auto per_head = [](std::int64_t count) {
    return Shape{Dim(ExampleGraph::tokens, Symbol::tokens), Dim(count), Dim(d)};
  };
  const CacheSpec cache{KvLayout::contiguous, DType::f32, DType::f32, kv_heads, d, d};
  const RopeSpec spec = RopeSpec::plain(RopePairing::halves, d, 10000.0F);
  const BatchInputs batch = e.batch();
  ValueId q = e.b.reshape(e.activations("q", heads * d), per_head(heads));
  ValueId k = e.b.reshape(e.activations("k", kv_heads * d), per_head(kv_heads));
  const ValueId v = e.b.reshape(e.activations("v", kv_heads * d), per_head(kv_heads));
  q = e.b.rms_norm("attn_q_norm", q, e.weight("attn_q_norm.weight", {d}), 1e-6F);
  k = e.b.rms_norm("attn_k_norm", k, e.weight("attn_k_norm.weight", {d}), 1e-6F);
  q = e.b.rope("rope_q", q, batch.positions, spec);
  k = e.b.rope("rope_k", k, batch.positions, spec);
  const ValueId state = e.b.kv_append("kv_append", k, v, batch, e.cache("cache"), cache);
  Attention attention;
  attention.cache = cache;
  attention.scale = 0.25F;
  e.b.output(e.b.attention("attention", q, batch, state, attention));
  return e.b.finish();
}

}  // namespace

Rewrite qk_norm_rope_append_rewrite() {
  return {"qk_norm_rope_append", matcher(attention_pattern()), replace, example};
}

}  // namespace weft::graph
