// What changed between two tables of one op: in their texts, rule by rule, and in what they decide.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/rules/rules.hpp"

namespace weft {

/// A rule of one table and what became of it in the other.
struct RuleChange {
  enum class Kind : std::uint8_t { added, removed, moved, changed };
  Kind kind = Kind::changed;
  std::optional<std::size_t> before;  ///< index in the first table; empty when added
  std::optional<std::size_t> after;   ///< index in the second; empty when removed
  std::vector<std::string> details;   ///< of a change: "with LANES: 64 -> 128", "why: …"
};
[[nodiscard]] std::string_view name_of(RuleChange::Kind kind);

/// Calls that rule `before` of the first table and rule `after` of the second decide, and not in the same way.
struct DecisionChange {
  std::optional<std::size_t> before;  ///< empty where no rule matches
  std::optional<std::size_t> after;
  std::optional<Facts> example;  ///< one such call; empty where the search gave up and there may be none
};

struct RuleDiff {
  std::vector<RuleChange> rules;
  std::vector<DecisionChange> decisions;
  std::vector<std::string> facts;  ///< that either table tests
  /// Nothing differs, not even a reason.
  [[nodiscard]] bool same() const { return rules.empty() && decisions.empty(); }
};

/// Rules with the same tests are the same rule; what is left is paired by what it uses, in order. A pair whose place
/// among the other pairs changed counts as moved. Decisions differ in `use`, `with`, `activations` or `deterministic`,
/// and are compared for all calls at once (core/rules/region.hpp). `examples` gives the values of facts that don't
/// matter.
[[nodiscard]] RuleDiff diff_rules(const RuleTable& before, const RuleTable& after, const Facts& examples);

/// A rule's tests as text: "tokens at_most 1, weight q4_0", or "anything".
[[nodiscard]] std::string conditions_of(const Rule& rule);

}  // namespace weft
