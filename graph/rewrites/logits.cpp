// RmsNorm -> QuantMatmul [-> Scale] [-> Softcap] [-> Argmax], where that ends the graph   =>   Logits
#include "graph/example_graph.hpp"
#include "graph/rewrites.hpp"

namespace weft::graph {
namespace {

Pattern logits_pattern() {
  Pattern head =
      Pattern::of<QuantMatmul>("head", Pattern::of<RmsNorm>("norm", Pattern::any("x"), Pattern::any("norm_weight")),
                               Pattern::any("w"), Pattern::optional("bias"));
  Pattern capped = Pattern::maybe<Softcap>("softcap", Pattern::maybe<Scale>("scale", std::move(head)));
  return Pattern::maybe<Argmax>("argmax", std::move(capped));
}

/// Other single matmuls of a norm are norm_matmul; logits is what leaves the model, as values or through an arg-max
/// that the backend doesn't take in.
bool leaves_the_graph(const GraphIndex& index, ValueId value) {
  if (index.is_output(value)) return true;
  const auto users = index.users(value);
  if (users.size() != 1) return false;
  const Node& user = index.graph().node(users.front());
  return std::holds_alternative<Argmax>(user.op) && index.is_output(user.outputs.front());
}

std::optional<Replacement> replace(const GraphIndex& index, const Match& m) {
  const Graph& graph = index.graph();
  const std::vector<NodeId> parts = m.nodes();
  const ValueId result = graph.node(parts.back()).outputs.front();
  if (m.value("bias") != absent_value || !leaves_the_graph(index, result)) return std::nullopt;
  const auto& norm = std::get<RmsNorm>(graph.node(m.node("norm")).op);
  Logits op;
  op.eps = norm.eps;
  op.weight_offset = norm.weight_offset;
  if (m.has("scale")) op.scale = std::get<Scale>(graph.node(m.node("scale")).op).factor;
  if (m.has("softcap")) op.softcap = std::get<Softcap>(graph.node(m.node("softcap")).op).cap;
  if (m.has("argmax")) op.result = Logits::Yields::argmax;
  return Replacement{op, {m.value("x"), m.value("norm_weight"), m.value("w")}, {result}, parts};
}

Result<Graph> example() {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  const ValueId h = e.b.rms_norm("output_norm", x, e.weight("output_norm.weight", {ExampleGraph::width}), 1e-5F);
  ValueId y = e.b.quant_matmul("output", h, e.weight("output.weight", {101, ExampleGraph::width}));
  y = e.b.softcap("final_softcap", e.b.scale("logit_scale", y, 3.0F), 5.0F);
  e.b.output(y);
  return e.b.finish();
}

}  // namespace

Rewrite logits_rewrite() { return {"logits", matcher(logits_pattern()), replace, example}; }

}  // namespace weft::graph
