// RmsNorm -> (QuantMatmul gate, QuantMatmul up) -> Glu   =>   NormMatmulGlu
#include "graph/example_graph.hpp"
#include "graph/rewrites.hpp"

namespace weft::graph {
namespace {

Pattern glu_pattern() {
  const Pattern norm = Pattern::of<RmsNorm>("norm", Pattern::any("x"), Pattern::any("norm_weight"));
  return Pattern::of<Glu>(
      "glu", Pattern::of<QuantMatmul>("gate", norm, Pattern::any("gate_w"), Pattern::optional("gate_bias")),
      Pattern::of<QuantMatmul>("up", norm, Pattern::any("up_w"), Pattern::optional("up_bias")));
}

std::optional<Replacement> replace(const GraphIndex& index, const Match& m) {
  const Graph& graph = index.graph();
  const auto& norm = std::get<RmsNorm>(graph.node(m.node("norm")).op);
  NormMatmulGlu op;
  op.eps = norm.eps;
  op.weight_offset = norm.weight_offset;
  op.activation = std::get<Glu>(graph.node(m.node("glu")).op).activation;
  return Replacement{op,
                     {m.value("x"), m.value("norm_weight"), m.value("gate_w"), m.value("gate_bias"), m.value("up_w"),
                      m.value("up_bias")},
                     {m.value("glu")},
                     m.nodes()};
}

Result<Graph> example() {
  ExampleGraph e;
  constexpr std::int64_t width = ExampleGraph::width;
  const ValueId x = e.activations("x");
  const ValueId h = e.b.rms_norm("ffn_norm", x, e.weight("ffn_norm.weight", {width}), 1e-6F);
  const ValueId gate = e.b.quant_matmul("ffn_gate", h, e.weight("ffn_gate.weight", {96, width}));
  const ValueId up =
      e.b.quant_matmul("ffn_up", h, e.weight("ffn_up.weight", {96, width}), e.weight("ffn_up.bias", {96}));
  e.b.output(e.b.glu("ffn_glu", gate, up, ActivationKind::gelu_tanh));
  return e.b.finish();
}

}  // namespace

Rewrite norm_matmul_glu_rewrite() { return {"norm_matmul_glu", matcher(glu_pattern()), replace, example}; }

}  // namespace weft::graph
