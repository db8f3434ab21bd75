// The checks, from plain ids to what in-place updates need.
#include "graph/verify.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "graph/index.hpp"

namespace weft::graph {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  Status run() {
    if (Status ok = check_values(); !ok) return ok;
    if (Status ok = check_lists(); !ok) return ok;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (Status ok = check_node(static_cast<NodeId>(n)); !ok) return ok;
    }
    if (Status ok = check_all_made(); !ok) return ok;
    return check_aliases();
  }

 private:
  template <class... Args>
  static Status broken(fmt::format_string<Args...> format, Args&&... args) {
    return fail(ErrorCode::internal, "{}", fmt::format(format, std::forward<Args>(args)...));
  }
  bool in_range(ValueId id) const { return id >= 0 && static_cast<std::size_t>(id) < graph_.values.size(); }

  Status check_values() {
    made_.assign(graph_.values.size(), false);
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      const Value& value = graph_.values[v];
      if (!value.desc.present()) return broken("value {} has no type", value.name);
      if ((value.kind == ValueKind::constant) != (value.constant != nullptr)) {
        return broken("value {}: only constants have data, and all of them do", value.name);
      }
      if (value.kind == ValueKind::computed) {
        const auto producer = static_cast<std::size_t>(value.producer);
        if (value.producer < 0 || producer >= graph_.nodes.size() ||
            std::ranges::count(graph_.nodes[producer].outputs, static_cast<ValueId>(v)) != 1) {
          return broken("value {} names node {} as its producer, which doesn't make it", value.name, value.producer);
        }
      } else {
        if (value.producer != no_node) return broken("value {} is not computed but has a producer", value.name);
        made_[v] = true;
      }
    }
    return {};
  }

  Status check_list(std::string_view what, const std::vector<ValueId>& list, ValueKind kind) {
    for (const ValueId id : list) {
      if (!in_range(id)) return broken("{} names value {}, the graph has {}", what, id, graph_.values.size());
      const Value& value = graph_.value(id);
      if (value.kind != kind) return broken("{} holds {}, which is of another kind", what, value.name);
      if (!names_.insert(value.name).second) return broken("two values or nodes are named {}", value.name);
    }
    const auto all = std::ranges::count(graph_.values, kind, &Value::kind);
    if (static_cast<std::size_t>(all) != list.size()) {
      return broken("{} holds {} values, the graph has {} of the kind", what, list.size(), all);
    }
    return {};
  }

  Status check_lists() {
    if (Status ok = check_list("the list of inputs", graph_.inputs, ValueKind::input); !ok) return ok;
    if (Status ok = check_list("the list of states", graph_.states, ValueKind::state); !ok) return ok;
    for (const ValueId id : graph_.outputs) {
      if (!in_range(id))
        return broken("the list of outputs names value {}, the graph has {}", id, graph_.values.size());
      const Value& value = graph_.value(id);
      if (value.kind != ValueKind::computed || value.desc.dtype == DType::state) {
        return broken("output {} is not a computed tensor", value.name);
      }
      if (!value.desc.is_dense()) return broken("output {} is a strided view; copy it", value.name);
    }
    return {};
  }

  static Status check_operands(const Node& node) {
    const std::span<const Port> ports = input_ports(node.op);
    const bool repeats = !ports.empty() && ports.back().kind == PortKind::repeated;
    const bool fits = repeats ? node.inputs.size() >= ports.size() - 1 : node.inputs.size() == ports.size();
    if (!fits) return broken("{} operands, {} has {}", node.inputs.size(), name_of(node.op), ports.size());
    for (std::size_t i = 0; i < std::min(ports.size(), node.inputs.size()); ++i) {
      if (node.inputs[i] == absent_value && ports[i].kind == PortKind::required) {
        return broken("operand {} of {} is missing", ports[i].name, name_of(node.op));
      }
    }
    return {};
  }

  Status check_node(NodeId id) {
    const Node& node = graph_.node(id);
    Status ok = check_node_parts(id, node);
    return ok ? ok : Status(error_of(ok, fmt::format("node {}", node.name)));
  }

  Status check_node_parts(NodeId id, const Node& node) {
    if (node.name.empty() || !names_.insert(node.name).second) return broken("the name is empty or taken");
    if (Status ok = check_operands(node); !ok) return ok;
    for (const ValueId in : node.inputs) {
      if (in == absent_value) continue;
      if (!in_range(in)) return broken("reads value {}, the graph has {}", in, graph_.values.size());
      if (!made_[static_cast<std::size_t>(in)]) return broken("reads {} before it is made", graph_.value(in).name);
    }
    const auto descs = infer(node.op, descs_of(graph_, node.inputs));
    if (!descs) return broken("{}", descs.error().message);
    if (descs->size() != node.outputs.size()) {
      return broken("has {} results, {} makes {}", node.outputs.size(), name_of(node.op), descs->size());
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId out = node.outputs[i];
      if (!in_range(out)) return broken("makes value {}, the graph has {}", out, graph_.values.size());
      const Value& value = graph_.value(out);
      if (made_[static_cast<std::size_t>(out)]) return broken("makes {}, which exists already", value.name);
      if (value.producer != id) return broken("makes {}, which names another producer", value.name);
      if (value.desc != (*descs)[i]) {
        return broken("{} is {}, its op infers {}", value.name, to_string(value.desc), to_string((*descs)[i]));
      }
      made_[static_cast<std::size_t>(out)] = true;
    }
    return {};
  }

  Status check_all_made() const {
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      if (!made_[v]) return broken("value {} is made by no node", graph_.values[v].name);
    }
    return {};
  }

  Status check_aliases() const {
    const GraphIndex index(graph_);
    for (const Node& node : graph_.nodes) {
      for (const Alias& alias : aliases(node.op)) {
        const ValueId updated = node.inputs[alias.input];
        if (updated == absent_value) continue;
        if (index.users(updated).size() == 1 && !index.is_output(updated)) continue;
        return broken("node {} updates {} in place, but it has other readers", node.name, graph_.value(updated).name);
      }
    }
    return {};
  }

  const Graph& graph_;
  std::vector<bool> made_;
  std::unordered_set<std::string_view> names_;
};

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).run(); }

}  // namespace weft::graph
