// From a table's text to typed rules. Every rejection names the source, the rule and what to do.
#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/rules/lint.hpp"
#include "core/rules/predicate.hpp"
#include "core/rules/rules.hpp"
#include "core/rules/strict_json.hpp"

namespace weft {
namespace {

using Json = nlohmann::json;
using Operator = RuleTest::Operator;

template <class... Args>
tl::unexpected<Error> reject(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorCode::invalid_file, format, std::forward<Args>(args)...);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string fact_names(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& [name, value] : facts.entries()) names.push_back(name);
  return listed(names);
}

Status check_keys(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    return reject("unknown key {}; known are {}", json_quoted(key),
                  listed(std::vector<std::string>(known.begin(), known.end())));
  }
  return {};
}

std::optional<std::int64_t> integer_of(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  return json.get<std::int64_t>();
}

bool is_blank(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c) != 0; });
}

Result<std::string> text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) return reject("\"{}\" is missing", key);
  if (!at->is_string()) return reject("\"{}\" is {}; it must be text", key, at->dump());
  const auto& text = at->get_ref<const std::string&>();
  if (is_blank(text)) return reject("\"{}\" is empty", key);
  return text;
}

/// One operand: a number, or a word (which a set of words is tested with, too).
Result<FactValue> parse_operand(const Json& json, const FactValue& example) {
  if (std::holds_alternative<std::int64_t>(example)) {
    if (const auto number = integer_of(json)) return FactValue(*number);
    return reject("{} where a whole number of 64 bits is wanted", json.dump());
  }
  if (json.is_string() && !json.get_ref<const std::string&>().empty()) return FactValue(json.get<std::string>());
  return reject("{} where a word is wanted", json.dump());
}

Result<std::vector<FactValue>> parse_operands(const Json& json, const FactValue& example) {
  std::vector<FactValue> operands;
  if (!json.is_array()) {
    auto operand = parse_operand(json, example);
    if (!operand) return error_of(operand);
    operands.push_back(std::move(*operand));
    return operands;
  }
  if (json.empty()) return reject("an empty list; name at least one value");
  for (const Json& element : json) {
    auto operand = parse_operand(element, example);
    if (!operand) return error_of(operand);
    operands.push_back(std::move(*operand));
  }
  return operands;
}

bool takes_list(Operator op) { return op == Operator::any_of || op == Operator::none_of || op == Operator::has; }

Result<RuleTest> parse_test(const std::string& fact, Operator op, const Json& json, const FactValue& example) {
  if (!fits(op, example)) {
    return reject("{} doesn't fit {}; use {}",
                  op == Operator::equal || op == Operator::any_of ? json.dump() : json_quoted(name_of(op)),
                  kind_of(example), fitting_operators(example));
  }
  if (json.is_array() && !takes_list(op)) return reject("\"{}\" takes one value, not a list", name_of(op));
  auto operands = parse_operands(json, example);
  if (!operands) return error_of(operands);
  if (op == Operator::multiple_of && std::get<std::int64_t>((*operands)[0]) < 1) {
    return reject("\"multiple_of\" is {}; it must be at least 1", json.dump());
  }
  return RuleTest{fact, op, std::move(*operands)};
}

/// The tests of one fact: a value, a list, or an object of operators.
Status parse_fact_tests(const std::string& fact, const Json& json, const FactValue& example,
                        std::vector<RuleTest>& tests) {
  if (!json.is_object()) {
    auto test = parse_test(fact, json.is_array() ? Operator::any_of : Operator::equal, json, example);
    if (!test) return error_of(test);
    tests.push_back(std::move(*test));
    return {};
  }
  if (json.empty()) return reject("an empty object tests nothing; use {}", fitting_operators(example));
  for (const auto& [key, operand] : json.items()) {
    const auto op = rule_operator(key);
    if (!op) return reject("unknown operator {}; use {}", json_quoted(key), fitting_operators(example));
    auto test = parse_test(fact, *op, operand, example);
    if (!test) return error_of(test);
    tests.push_back(std::move(*test));
  }
  return {};
}

Result<std::vector<RuleTest>> parse_when(const Json& rule, const Facts& facts) {
  const auto when = rule.find("when");
  if (when == rule.end()) return reject("\"when\" is missing; {{}} matches everything");
  if (!when->is_object()) return reject("\"when\" is {}; it must be an object of facts and tests", when->dump());
  std::vector<RuleTest> tests;
  for (const auto& [fact, json] : when->items()) {
    const FactValue* example = facts.find(fact);
    if (example == nullptr) return reject("unknown fact {}; known are {}", json_quoted(fact), fact_names(facts));
    if (Status ok = parse_fact_tests(fact, json, *example, tests); !ok) return error_of(ok, json_quoted(fact));
  }
  return tests;
}

/// Parameters become names of -D definitions.
bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Result<RuleParameters> parse_with(const Json& rule) {
  RuleParameters parameters;
  const auto with = rule.find("with");
  if (with == rule.end()) return parameters;
  if (!with->is_object()) return reject("\"with\" is {}; it must be an object of parameters", with->dump());
  for (const auto& [name, json] : with->items()) {
    if (!is_identifier(name)) return reject("parameter {} is no identifier (letters, digits and _)", json_quoted(name));
    const auto number = integer_of(json);
    if (!number)
      return reject("parameter {} is {}; it must be a whole number of 64 bits", json_quoted(name), json.dump());
    parameters.emplace(name, *number);
  }
  return parameters;
}

Result<std::string> parse_activations(const Json& rule) {
  const auto at = rule.find("activations");
  if (at == rule.end()) return "full";
  if (*at == "full" || *at == "int8") return at->get<std::string>();
  return reject("\"activations\" is {}; it must be \"full\" or \"int8\"", at->dump());
}

Result<Rule> parse_rule(const Json& json, const RuleVocabulary& vocabulary) {
  if (!json.is_object()) return reject("{} is no object", json.dump());
  if (Status ok = check_keys(json, {"when", "use", "with", "activations", "deterministic", "why"}); !ok) {
    return error_of(ok);
  }
  auto use = text_at(json, "use");
  if (!use) return error_of(use);
  if (std::ranges::find(vocabulary.choices, *use) == vocabulary.choices.end()) {
    return reject("there is no {} to use; known are {}", json_quoted(*use), listed(vocabulary.choices));
  }
  auto when = parse_when(json, vocabulary.facts);
  if (!when) return error_of(when);
  auto with = parse_with(json);
  if (!with) return error_of(with);
  auto activations = parse_activations(json);
  if (!activations) return error_of(activations);
  const auto deterministic = json.find("deterministic");
  if (deterministic != json.end() && !deterministic->is_boolean()) {
    return reject("\"deterministic\" is {}; it must be true or false", deterministic->dump());
  }
  auto why = text_at(json, "why");
  if (!why) return error_of(why, "every rule gives its reason");
  return Rule{std::move(*when),
              std::move(*use),
              std::move(*with),
              std::move(*activations),
              deterministic == json.end() || deterministic->get<bool>(),
              std::move(*why)};
}

Result<Floor> parse_floor(const Json& table) {
  const auto floor = table.find("floor");
  if (floor == table.end()) return Floor::required;
  if (*floor == "none") return Floor::none;
  return reject("\"floor\" is {}; it may only be \"none\"", floor->dump());
}

Status check_table(const Json& table) {
  if (!table.is_object()) return reject("the text is no JSON object");
  if (Status ok = check_keys(table, {"schema", "op", "floor", "rules"}); !ok) return ok;
  const auto schema = table.find("schema");
  if (schema == table.end()) return reject("\"schema\" is missing; this program reads 1");
  if (integer_of(*schema) != 1) return reject("\"schema\" is {}; this program reads 1", schema->dump());
  const auto rules = table.find("rules");
  if (rules == table.end()) return reject("\"rules\" is missing");
  if (!rules->is_array()) return reject("\"rules\" is {}; it must be a list", rules->dump());
  return {};
}

Result<std::vector<Rule>> parse_rules(const Json& table, const RuleVocabulary& vocabulary) {
  std::vector<Rule> rules;
  for (const Json& json : table.find("rules").value()) {
    auto rule = parse_rule(json, vocabulary);
    if (!rule) return error_of(rule, fmt::format("rule {}", rules.size() + 1));
    rules.push_back(std::move(*rule));
  }
  const auto floor = parse_floor(table);
  if (!floor) return error_of(floor);
  if (const auto problem = lint_rules(rules, vocabulary, *floor)) return reject("{}", *problem);
  return rules;
}

}  // namespace

Result<RuleTable> RuleTable::parse(std::string_view json, std::string_view source, const RuleVocabulary& vocabulary) {
  if (Status ok = check_strict_json(json, source); !ok) return error_of(ok);
  const Json text = Json::parse(json, nullptr, false);
  if (Status ok = check_table(text); !ok) return error_of(ok, source);
  auto op = text_at(text, "op");
  if (!op) return error_of(op, source);
  auto rules = parse_rules(text, vocabulary);
  if (!rules) return error_of(rules, source);
  RuleTable table;
  table.source_ = source;
  table.op_ = std::move(*op);
  table.rules_ = std::move(*rules);
  return table;
}

Result<std::string> rule_table_op(std::string_view json, std::string_view source) {
  if (Status ok = check_strict_json(json, source); !ok) return error_of(ok);
  const Json text = Json::parse(json, nullptr, false);
  if (!text.is_object()) return reject("{}: the text is no JSON object", source);
  auto op = text_at(text, "op");
  if (!op) return error_of(op, source);
  return op;
}

}  // namespace weft
