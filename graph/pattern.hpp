// Shapes of subgraphs as values: which ops feed which, by name, so that a rewrite says what it looks for.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/index.hpp"

namespace weft::graph {

/// What a pattern found. Names that an optional part didn't fill are missing (nodes) or absent (values).
class Match {
 public:
  [[nodiscard]] bool has(std::string_view name) const { return nodes_.contains(name); }
  /// The node bound to `name`, which must be there.
  [[nodiscard]] NodeId node(std::string_view name) const { return nodes_.find(name)->second; }
  /// The value bound to `name`; absent_value when it isn't.
  [[nodiscard]] ValueId value(std::string_view name) const {
    const auto at = values_.find(name);
    return at == values_.end() ? absent_value : at->second;
  }
  /// All bound nodes, in execution order.
  [[nodiscard]] std::vector<NodeId> nodes() const;
  /// Binds a name, or checks that it is bound to the same already: one name is one node and one value everywhere.
  [[nodiscard]] bool bind_node(std::string_view name, NodeId node);
  [[nodiscard]] bool bind_value(std::string_view name, ValueId value);

 private:
  std::map<std::string, NodeId, std::less<>> nodes_;
  std::map<std::string, ValueId, std::less<>> values_;
};

/// An immutable pattern over values, read from a result towards its operands. Whether values inside may vanish is not
/// its business: apply() in rewrite.hpp checks that for every rewrite.
class Pattern {
 public:
  /// Any value that is there, bound to `name`.
  [[nodiscard]] static Pattern any(std::string_view name);
  /// Any value, or an absent operand.
  [[nodiscard]] static Pattern optional(std::string_view name);
  /// The first result of an op of this kind, whose operands match in order; operands beyond those given may be
  /// anything. `name` binds the node and its first result.
  template <class OpKind, std::same_as<Pattern>... Operands>
  [[nodiscard]] static Pattern of(std::string_view name, Operands... operands) {
    return node(Kind::op, name, is_a<OpKind>, {std::move(operands)...});
  }
  /// That op applied to what `inner` matches, or `inner` alone.
  template <class OpKind>
  [[nodiscard]] static Pattern maybe(std::string_view name, Pattern inner) {
    return node(Kind::maybe, name, is_a<OpKind>, {std::move(inner)});
  }
  /// As `of` with two operands that may come in either order.
  template <class OpKind>
  [[nodiscard]] static Pattern either_order(std::string_view name, Pattern one, Pattern other) {
    return node(Kind::commutative, name, is_a<OpKind>, {std::move(one), std::move(other)});
  }

  [[nodiscard]] std::optional<Match> match(const GraphIndex& index, ValueId result) const;

 private:
  enum class Kind : std::uint8_t { any, optional, op, maybe, commutative };
  using Test = bool (*)(const Op&);
  struct Body {
    Kind kind;
    std::string name;
    Test test;
    std::vector<Pattern> operands;
  };
  template <class OpKind>
  static bool is_a(const Op& op) {
    return std::holds_alternative<OpKind>(op);
  }
  [[nodiscard]] static Pattern node(Kind kind, std::string_view name, Test test, std::vector<Pattern> operands);
  [[nodiscard]] bool extend(const GraphIndex& index, ValueId value, Match& match) const;
  [[nodiscard]] bool extend_node(const GraphIndex& index, ValueId value, Match& match, bool swapped) const;

  std::shared_ptr<const Body> body_;
};

}  // namespace weft::graph
