// Graphs as text: a line a node, or DOT with a cluster a layer.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "graph/ir.hpp"

namespace weft::graph {

/// Backend of each node, by its name, where that is known: shown in text, a colour in DOT.
using NodeBackends = std::map<std::string, std::string, std::less<>>;

/// "%3 blk.0.attn_q = quant_matmul(attn_norm, blk.0.attn_q.weight, -) : f32 [tokens<=512, 576]", one line a node, after
/// the inputs, states and constants and before the outputs.
[[nodiscard]] std::string dump_text(const Graph& graph, const NodeBackends& backends = {});
/// For graphviz. Constants are left out; views are dashed.
[[nodiscard]] std::string dump_dot(const Graph& graph, const NodeBackends& backends = {});

}  // namespace weft::graph
