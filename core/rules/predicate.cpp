// Tests of facts. Operands have been checked against the fact's kind when the table was parsed.
#include "core/rules/predicate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace weft {
namespace {

using Operator = RuleTest::Operator;

struct NamedOperator {
  std::string_view name;
  Operator op;
};
constexpr std::array<NamedOperator, 8> named_operators{{{"not", Operator::none_of},
                                                        {"at_least", Operator::at_least},
                                                        {"at_most", Operator::at_most},
                                                        {"less_than", Operator::less_than},
                                                        {"more_than", Operator::more_than},
                                                        {"multiple_of", Operator::multiple_of},
                                                        {"has", Operator::has},
                                                        {"starts_with", Operator::starts_with}}};

bool number_holds(Operator op, std::int64_t value, std::int64_t operand) {
  switch (op) {
    case Operator::at_least: return value >= operand;
    case Operator::at_most: return value <= operand;
    case Operator::less_than: return value < operand;
    case Operator::more_than: return value > operand;
    case Operator::multiple_of: return value % operand == 0;
    default: return false;
  }
}

bool has_word(const FactValue& set, const FactValue& word) {
  return std::ranges::find(std::get<std::vector<std::string>>(set), std::get<std::string>(word)) !=
         std::get<std::vector<std::string>>(set).end();
}

std::string joined(const std::vector<FactValue>& values) {
  std::string text;
  for (const FactValue& value : values) text += (text.empty() ? "" : ", ") + to_string(value);
  return text;
}

}  // namespace

std::string_view name_of(Operator op) {
  const auto at = std::ranges::find(named_operators, op, &NamedOperator::op);
  return at == named_operators.end() ? std::string_view() : at->name;
}

std::optional<Operator> rule_operator(std::string_view key) {
  const auto at = std::ranges::find(named_operators, key, &NamedOperator::name);
  if (at == named_operators.end()) return std::nullopt;
  return at->op;
}

bool fits(Operator op, const FactValue& example) {
  const bool number = std::holds_alternative<std::int64_t>(example);
  const bool word = std::holds_alternative<std::string>(example);
  switch (op) {
    case Operator::equal:
    case Operator::any_of:
    case Operator::none_of: return number || word;
    case Operator::has: return !number && !word;
    case Operator::starts_with: return word;
    default: return number;
  }
}

std::string fitting_operators(const FactValue& example) {
  std::string text;
  for (const NamedOperator& named : named_operators) {
    if (fits(named.op, example)) text += fmt::format("{}{}", text.empty() ? "" : ", ", named.name);
  }
  return text;
}

std::string_view kind_of(const FactValue& value) {
  if (std::holds_alternative<std::int64_t>(value)) return "a number";
  return std::holds_alternative<std::string>(value) ? "a word" : "a set of words";
}

bool holds(const RuleTest& test, const FactValue& value) {
  const auto is_operand = [&] { return std::ranges::find(test.operands, value) != test.operands.end(); };
  switch (test.op) {
    case Operator::equal:
    case Operator::any_of: return is_operand();
    case Operator::none_of: return !is_operand();
    case Operator::has:
      return std::ranges::all_of(test.operands, [&](const FactValue& word) { return has_word(value, word); });
    case Operator::starts_with:
      return std::get<std::string>(value).starts_with(std::get<std::string>(test.operands[0]));
    default: return number_holds(test.op, std::get<std::int64_t>(value), std::get<std::int64_t>(test.operands[0]));
  }
}

std::string to_string(const RuleTest& test) {
  const bool several = test.operands.size() > 1;
  switch (test.op) {
    case Operator::equal: return to_string(test.operands[0]);
    case Operator::any_of: return (several ? "one of " : "") + joined(test.operands);
    case Operator::none_of: return (several ? "none of " : "not ") + joined(test.operands);
    default: return fmt::format("{} {}", name_of(test.op), joined(test.operands));
  }
}

}  // namespace weft
