// QuantMatmul -> Add (either side) of a residual of the same shape   =>   MatmulAdd
#include "graph/example_graph.hpp"
#include "graph/rewrites.hpp"

namespace weft::graph {
namespace {

Pattern matmul_add_pattern() {
  return Pattern::either_order<Add>(
      "add", Pattern::of<QuantMatmul>("matmul", Pattern::any("x"), Pattern::any("w"), Pattern::optional("bias")),
      Pattern::any("residual"));
}

std::optional<Replacement> replace(const GraphIndex& index, const Match& m) {
  // A bias-like operand is broadcast; a residual isn't.
  const Graph& graph = index.graph();
  if (graph.value(m.value("residual")).desc.shape != graph.value(m.value("matmul")).desc.shape) return std::nullopt;
  return Replacement{
      MatmulAdd{}, {m.value("x"), m.value("w"), m.value("bias"), m.value("residual")}, {m.value("add")}, m.nodes()};
}

Result<Graph> example() {
  ExampleGraph e;
  const ValueId residual = e.activations("residual", 33);
  const ValueId x = e.activations("x");
  const ValueId y = e.b.quant_matmul("attn_output", x, e.weight("attn_output.weight", {33, ExampleGraph::width}),
                                     e.weight("attn_output.bias", {33}));
  e.b.output(e.b.add("attn_residual", residual, y));
  return e.b.finish();
}

}  // namespace

Rewrite matmul_add_rewrite() { return {"matmul_add", matcher(matmul_add_pattern()), replace, example}; }

}  // namespace weft::graph
