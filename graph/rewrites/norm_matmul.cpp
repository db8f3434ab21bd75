// RmsNorm -> QuantMatmul (one or several)   =>   NormMatmul with a pair (w, bias) and a result for each
#include <algorithm>

#include "graph/example_graph.hpp"
#include "graph/rewrites.hpp"

namespace weft::graph {
namespace {

/// The norm, and that it has a weight and only matmuls as readers. How many there are is no fixed pattern.
std::optional<Match> match(const GraphIndex& index, NodeId root) {
  static const Pattern norm = Pattern::of<RmsNorm>("norm", Pattern::any("x"), Pattern::any("norm_weight"));
  const ValueId h = index.graph().node(root).outputs.front();
  auto found = norm.match(index, h);
  if (!found || index.users(h).empty()) return std::nullopt;
  const bool all_matmuls = std::ranges::all_of(index.users(h), [&](NodeId user) {
    const Node& node = index.graph().node(user);
    return std::holds_alternative<QuantMatmul>(node.op) && node.inputs[0] == h && node.inputs[1] != h;
  });
  return all_matmuls ? found : std::nullopt;
}

std::optional<Replacement> replace(const GraphIndex& index, const Match& m) {
  const Graph& graph = index.graph();
  const auto& norm = std::get<RmsNorm>(graph.node(m.node("norm")).op);
  NormMatmul op;
  op.eps = norm.eps;
  op.weight_offset = norm.weight_offset;
  Replacement r{op, {m.value("x"), m.value("norm_weight")}, {}, {m.node("norm")}};
  for (const NodeId matmul : index.users(m.value("norm"))) {
    const Node& node = graph.node(matmul);
    r.inputs.push_back(node.inputs[1]);
    r.inputs.push_back(node.inputs[2]);
    r.outputs.push_back(node.outputs.front());
    r.parts.push_back(matmul);
  }
  return r;
}

Result<Graph> example() {
  ExampleGraph e;
  constexpr std::int64_t width = ExampleGraph::width;
  const ValueId x = e.activations("x");
  const ValueId h = e.b.rms_norm("attn_norm", x, e.weight("attn_norm.weight", {width}), 1e-6F);
  // The projections' readers lie between them, as in a model.
  const ValueId q =
      e.b.quant_matmul("attn_q", h, e.weight("attn_q.weight", {64, width}), e.weight("attn_q.bias", {64}));
  const ValueId scaled = e.b.scale("q_scale", q, 0.5F);
  const ValueId k = e.b.quant_matmul("attn_k", h, e.weight("attn_k.weight", {32, width}));
  const ValueId v = e.b.quant_matmul("attn_v", h, e.weight("attn_v.weight", {33, width}));
  for (const ValueId y : {scaled, k, v}) e.b.output(y);
  return e.b.finish();
}

}  // namespace

Rewrite norm_matmul_rewrite() { return {"norm_matmul", match, replace, example}; }

}  // namespace weft::graph
