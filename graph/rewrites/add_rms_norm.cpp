// Add -> RmsNorm, where the sum is also the residual of what follows   =>   AddRmsNorm, which makes both
#include "graph/example_graph.hpp"
#include "graph/rewrites.hpp"

namespace weft::graph {
namespace {

Pattern add_norm_pattern() {
  return Pattern::of<RmsNorm>("norm", Pattern::of<Add>("add", Pattern::any("a"), Pattern::any("b")),
                              Pattern::any("weight"));
}

std::optional<Replacement> replace(const GraphIndex& index, const Match& m) {
  const Graph& graph = index.graph();
  if (graph.value(m.value("a")).desc.shape != graph.value(m.value("b")).desc.shape) return std::nullopt;
  const auto& norm = std::get<RmsNorm>(graph.node(m.node("norm")).op);
  AddRmsNorm op;
  op.eps = norm.eps;
  op.weight_offset = norm.weight_offset;
  return Replacement{op, {m.value("a"), m.value("b"), m.value("weight")}, {m.value("add"), m.value("norm")}, m.nodes()};
}

Result<Graph> example() {
  ExampleGraph e;
  const ValueId a = e.activations("a");
  const ValueId b = e.activations("b");
  const ValueId sum = e.b.add("residual", a, b);
  const ValueId h = e.b.rms_norm("ffn_norm", sum, e.weight("ffn_norm.weight", {ExampleGraph::width}), 1e-5F);
  e.b.output(e.b.add("next_residual", e.b.activation("silu", h, ActivationKind::silu), sum));
  return e.b.finish();
}

}  // namespace

Rewrite add_rms_norm_rewrite() { return {"add_rms_norm", matcher(add_norm_pattern()), replace, example}; }

}  // namespace weft::graph
