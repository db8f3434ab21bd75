// Matching by walking from a result towards its operands; alternatives work on copies of the match.
#include "graph/pattern.hpp"

#include <algorithm>

namespace weft::graph {

std::vector<NodeId> Match::nodes() const {
  std::vector<NodeId> all;
  for (const auto& [name, node] : nodes_) all.push_back(node);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

bool Match::bind_node(std::string_view name, NodeId node) {
  const auto [at, added] = nodes_.try_emplace(std::string(name), node);
  return added || at->second == node;
}

bool Match::bind_value(std::string_view name, ValueId value) {
  const auto [at, added] = values_.try_emplace(std::string(name), value);
  return added || at->second == value;
}

Pattern Pattern::node(Kind kind, std::string_view name, Test test, std::vector<Pattern> operands) {
  Pattern pattern;
  pattern.body_ = std::make_shared<const Body>(Body{kind, std::string(name), test, std::move(operands)});
  return pattern;
}

Pattern Pattern::any(std::string_view name) { return node(Kind::any, name, nullptr, {}); }
Pattern Pattern::optional(std::string_view name) { return node(Kind::optional, name, nullptr, {}); }

std::optional<Match> Pattern::match(const GraphIndex& index, ValueId result) const {
  Match match;
  if (!extend(index, result, match)) return std::nullopt;
  return match;
}

bool Pattern::extend(const GraphIndex& index, ValueId value, Match& match) const {
  switch (body_->kind) {
    case Kind::any: return value != absent_value && match.bind_value(body_->name, value);
    case Kind::optional: return match.bind_value(body_->name, value);
    case Kind::op: return extend_node(index, value, match, false);
    case Kind::maybe: {
      Match with = match;
      if (extend_node(index, value, with, false)) {
        match = std::move(with);
        return true;
      }
      return body_->operands.front().extend(index, value, match);
    }
    case Kind::commutative: {
      Match in_order = match;
      if (extend_node(index, value, in_order, false)) {
        match = std::move(in_order);
        return true;
      }
      return extend_node(index, value, match, true);
    }
  }
  return false;
}

bool Pattern::extend_node(const GraphIndex& index, ValueId value, Match& match, bool swapped) const {
  const NodeId id = value == absent_value ? no_node : index.producer(value);
  if (id == no_node) return false;
  const Node& node = index.graph().node(id);
  if (!body_->test(node.op) || node.outputs.front() != value) return false;
  if (node.inputs.size() < body_->operands.size()) return false;
  if (!match.bind_node(body_->name, id) || !match.bind_value(body_->name, value)) return false;
  for (std::size_t i = 0; i < body_->operands.size(); ++i) {
    const std::size_t operand = swapped ? body_->operands.size() - 1 - i : i;
    if (!body_->operands[i].extend(index, node.inputs[operand], match)) return false;
  }
  return true;
}

}  // namespace weft::graph
