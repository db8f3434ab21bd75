// What one test of a rule says about a fact: which operators fit which kind, whether it holds, and its text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/rules/rules.hpp"

namespace weft {

/// Name of an operator in a table's JSON; empty for the two that a plain value or list means.
[[nodiscard]] std::string_view name_of(RuleTest::Operator op);
/// The operator that an object's key names.
[[nodiscard]] std::optional<RuleTest::Operator> rule_operator(std::string_view key);
/// Whether an operator may test a fact of the kind of `example`.
[[nodiscard]] bool fits(RuleTest::Operator op, const FactValue& example);
/// Names of all keys that fit, for messages: "not, at_least, …".
[[nodiscard]] std::string fitting_operators(const FactValue& example);
/// "a number", "a word" or "a set of words".
[[nodiscard]] std::string_view kind_of(const FactValue& value);

[[nodiscard]] bool holds(const RuleTest& test, const FactValue& value);
/// What is wanted, as text: "at_most 1", "one of q4_0, q4_1", "not q4_0".
[[nodiscard]] std::string to_string(const RuleTest& test);

}  // namespace weft
