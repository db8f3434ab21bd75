// Maxima go into inputs, states and the one attribute that holds dimensions; the rest follows by inference.
#include "graph/specialise.hpp"

#include <array>

#include "graph/index.hpp"

namespace weft::graph {
namespace {

Shape limited(Shape shape, const PlanLimits& limits) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i].symbol != Symbol::none) shape[i].max = limit_of(limits, shape[i].symbol);
  }
  return shape;
}

}  // namespace

std::int64_t limit_of(const PlanLimits& limits, Symbol symbol) {
  switch (symbol) {
    case Symbol::none: return 0;
    case Symbol::tokens: return limits.tokens;
    case Symbol::sequences: return limits.sequences;
    case Symbol::outputs: return limits.outputs;
    case Symbol::kv_len: return limits.kv_len;
    case Symbol::kv_rows: return limits.kv_rows;
  }
  return 0;
}

Result<Graph> specialise(Graph graph, const PlanLimits& limits) {
  constexpr std::array symbols = {Symbol::tokens, Symbol::sequences, Symbol::outputs, Symbol::kv_len, Symbol::kv_rows};
  for (const Symbol symbol : symbols) {
    if (limit_of(limits, symbol) >= 1) continue;
    return fail(ErrorCode::invalid_argument, "plan limit {} is {}, wanted at least 1", name_of(symbol),
                limit_of(limits, symbol));
  }
  for (const auto* list : {&graph.inputs, &graph.states}) {
    for (const ValueId id : *list) {
      TensorDesc& desc = graph.values[static_cast<std::size_t>(id)].desc;
      desc = TensorDesc::dense(desc.dtype, limited(desc.shape, limits));
    }
  }
  for (Node& node : graph.nodes) {
    if (auto* reshape = std::get_if<Reshape>(&node.op)) reshape->shape = limited(reshape->shape, limits);
    const auto descs = infer(node.op, descs_of(graph, node.inputs));
    if (!descs) return error_of(descs, fmt::format("node {}", node.name));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      graph.values[static_cast<std::size_t>(node.outputs[i])].desc = (*descs)[i];
    }
  }
  return graph;
}

}  // namespace weft::graph
