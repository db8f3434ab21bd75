// Writing of graphs.
#include "graph/dump.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

namespace weft::graph {
namespace {

std::string_view name_of_value(const Graph& graph, ValueId id) {
  return id == absent_value ? std::string_view("-") : std::string_view(graph.value(id).name);
}

std::string joined(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string_view> names;
  for (const ValueId id : ids) names.push_back(name_of_value(graph, id));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string descs(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> texts;
  for (const ValueId id : ids) texts.push_back(to_string(graph.value(id).desc));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string_view word_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::input: return "input";
    case ValueKind::constant: return "constant";
    case ValueKind::state: return "state";
    case ValueKind::computed: return "computed";
  }
  return "computed";
}

/// In quotes, with what would end them escaped and line ends as graphviz wants them.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + "\"";
}

class DotWriter {
 public:
  DotWriter(const Graph& graph, const NodeBackends& backends) : graph_(graph), backends_(backends) {}

  std::string run() {
    text_ = "digraph weft {\n  node [shape=box, fontname=\"sans-serif\", style=filled, fillcolor=white];\n";
    for (const auto* list : {&graph_.inputs, &graph_.states}) {
      for (const ValueId id : *list) write_step_value(id);
    }
    std::set<int> layers;
    for (const Node& node : graph_.nodes) layers.insert(node.layer);
    for (const int layer : layers) write_layer(layer);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) write_edges(n);
    return text_ + "}\n";
  }

 private:
  void write_step_value(ValueId id) {
    const Value& value = graph_.value(id);
    text_ += fmt::format("  v{} [shape=ellipse, label={}];\n", id,
                         quoted(fmt::format("{} {}\n{}", word_of(value.kind), value.name, to_string(value.desc))));
  }

  void write_layer(int layer) {
    if (layer >= 0) text_ += fmt::format("  subgraph cluster_{} {{\n  label=\"layer {}\";\n", layer, layer);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (graph_.nodes[n].layer == layer) write_node(n);
    }
    if (layer >= 0) text_ += "  }\n";
  }

  void write_node(std::size_t n) {
    const Node& node = graph_.nodes[n];
    const auto backend = backends_.find(node.name);
    std::string label = fmt::format("{}\n{}\n{}", weft::name_of(node.op), node.name, descs(graph_, node.outputs));
    if (backend != backends_.end()) label += "\n" + backend->second;
    text_ += fmt::format("  n{} [label={}", n, quoted(label));
    if (is_view(node.op)) text_ += ", style=dashed";
    if (backend != backends_.end()) text_ += fmt::format(", fillcolor={}", quoted(colour(backend->second)));
    text_ += "];\n";
  }

  /// Colours in the order in which backends come up.
  std::string_view colour(const std::string& backend) {
    static constexpr std::array<std::string_view, 6> palette{"lightblue", "palegreen", "khaki",
                                                             "lightpink", "plum",      "lightgrey"};
    return palette[colours_.try_emplace(backend, colours_.size()).first->second % palette.size()];
  }

  void write_edges(std::size_t n) {
    for (const ValueId in : graph_.nodes[n].inputs) {
      if (in == absent_value || graph_.value(in).kind == ValueKind::constant) continue;
      const NodeId producer = graph_.value(in).producer;
      const std::string from = producer == no_node ? fmt::format("v{}", in) : fmt::format("n{}", producer);
      text_ += fmt::format("  {} -> n{};\n", from, n);
    }
    for (const ValueId out : graph_.nodes[n].outputs) {
      for (const ValueId wanted : graph_.outputs) {
        if (wanted != out) continue;
        text_ += fmt::format("  o{} [shape=ellipse, label=\"output\"];\n  n{} -> o{};\n", out, n, out);
      }
    }
  }

  const Graph& graph_;
  const NodeBackends& backends_;
  std::map<std::string, std::size_t> colours_;
  std::string text_;
};

}  // namespace

std::string dump_text(const Graph& graph, const NodeBackends& backends) {
  std::string text;
  for (const Value& value : graph.values) {
    if (value.kind == ValueKind::computed) continue;
    text += fmt::format("{} {} : {}\n", word_of(value.kind), value.name, to_string(value.desc));
  }
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    text += fmt::format("%{} {} = {}({}) : {}", n, joined(graph, node.outputs), weft::name_of(node.op),
                        joined(graph, node.inputs), descs(graph, node.outputs));
    const auto backend = backends.find(node.name);
    if (backend != backends.end()) text += fmt::format(" @{}", backend->second);
    text += '\n';
  }
  return text + fmt::format("output {}\n", joined(graph, graph.outputs));
}

std::string dump_dot(const Graph& graph, const NodeBackends& backends) { return DotWriter(graph, backends).run(); }

}  // namespace weft::graph
