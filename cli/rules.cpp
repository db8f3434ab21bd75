// weft rules: check tables, list them, and explain what a table says about given facts.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <charconv>

#include "backends/all.hpp"
#include "cli/options.hpp"
#include "cli/rule_files.hpp"
#include "cli/rule_tables.hpp"
#include "core/rules/rule_diff.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "rules",
      .usage = "weft rules check|list|explain|diff [A B] [--rules FILE] [--backend B] [--op OP] [FACT=VALUE …]",
      .about =
          "check    loads every table, those of --rules instead of the embedded ones; says what is wrong\n"
          "list     prints the rules of a backend's tables, or of placement (--backend placement)\n"
          "explain  prints which rule of --backend's table for --op matches the facts FACT=VALUE, and the first fact\n"
          "         that failed of each rule before it; facts that aren't given have the device's or an example's "
          "value\n"
          "diff     compares two tables: rule files, or built-in for the table of --backend and --op (a file's own "
          "when\n"
          "         not given): rules added, removed, moved and changed, and a call of each kind that is decided\n"
          "         differently. Exit code 0 if nothing differs, 1 if something does, 2 on an error",
      .options = {},
      .positionals = {"action", "a", "b"}};
  table.options.add_options()("action", po::value<std::string>(), "check, list, explain or diff")(
      "a", po::value<std::string>(), "diff: a rule file, or built-in")(
      "b", po::value<std::string>(), "diff: the other")("json", po::bool_switch(), "diff: print JSON")(
      "op", po::value<std::string>()->default_value(""), "only this op's table")(
      "fact", po::value<std::vector<std::string>>()->composing(), "FACT=VALUE for explain; a set is {a,b}; repeatable");
  add_backend_options(table);
  return table;
}

Status check(const Tables& tables) {
  std::size_t count = 0;
  std::size_t rules = 0;
  for (const std::string& owner : tables.owners()) {
    for (const RuleTable& table : tables.of(owner)) {
      ++count;
      rules += table.rules().size();
    }
  }
  fmt::print("ok: {} tables, {} rules\n", count, rules);
  return {};
}

void print_table(std::string_view owner, const RuleTable& table) {
  fmt::print("{} {} ({})\n", owner, table.op(), table.source());
  for (std::size_t i = 0; i < table.rules().size(); ++i) {
    const Rule& rule = table.rules()[i];
    fmt::print("  #{} {}{} when {}: {}\n", i + 1, rule.use, parameters_of(rule), conditions_of(rule), rule.why);
  }
}

/// The owners that --backend names; all of them when it wasn't given.
std::vector<std::string> wanted_owners(const Parsed& parsed, const Tables& tables) {
  return parsed.has("backend") ? std::vector<std::string>{parsed.text("backend")} : tables.owners();
}

Status list(const Parsed& parsed, const Tables& tables) {
  std::size_t printed = 0;
  for (const std::string& owner : wanted_owners(parsed, tables)) {
    for (const RuleTable& table : tables.of(owner)) {
      if (!parsed.text("op").empty() && table.op() != parsed.text("op")) continue;
      print_table(owner, table);
      ++printed;
    }
  }
  if (printed > 0) return {};
  return fail(ErrorCode::invalid_argument, "no table of op \"{}\" in {}; tables belong to {}", parsed.text("op"),
              parsed.text("backend"), fmt::join(tables.owners(), ", "));
}

FactValue fact_value(std::string_view text) {
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text.substr(1, text.size() - 2)) {
      if (c == ',') words.push_back(std::exchange(word, ""));
      if (c != ',' && c != ' ') word += c;
    }
    if (!word.empty()) words.push_back(word);
    return words;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return std::string(text);
}

Status set_fact(Facts& facts, const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0) {
    return fail(ErrorCode::invalid_argument, "\"{}\" is no FACT=VALUE", text);
  }
  const std::string name = text.substr(0, at);
  const FactValue value = fact_value(text.substr(at + 1));
  const FactValue* known = facts.find(name);
  if (known != nullptr && known->index() != value.index()) {
    return fail(ErrorCode::invalid_argument, "{}: {} is of another kind than {}", name, to_string(value),
                to_string(*known));
  }
  std::visit([&](const auto& v) { facts.set(name, v); }, value);
  return {};
}

/// Facts for a table: the op's example, the device's, then what the user gave; each fact that a rule tests must be
/// there.
Result<Facts> facts_for(const Parsed& parsed, const Tables& tables, const std::string& owner, const RuleTable& table) {
  Facts facts = tables.example_facts(owner, table.op());
  if (parsed.has("fact")) {
    for (const std::string& text : parsed.values["fact"].as<std::vector<std::string>>()) {
      if (Status ok = set_fact(facts, text); !ok) return error_of(ok);
    }
  }
  for (const Rule& rule : table.rules()) {
    for (const RuleTest& test : rule.when) {
      if (facts.find(test.fact) == nullptr) {
        return fail(ErrorCode::invalid_argument, "the table tests {}: give it as {}=VALUE", test.fact, test.fact);
      }
    }
  }
  return facts;
}

Status explain(const Parsed& parsed, const Tables& tables) {
  const std::string& op = parsed.text("op");
  const std::string& owner = parsed.text("backend");
  const auto candidates = tables.of(owner);
  const auto table = std::ranges::find(candidates, owner == "placement" ? "placement" : op, &RuleTable::op);
  if (table == candidates.end()) {
    return fail(ErrorCode::invalid_argument, "{} has no table for op \"{}\" (--op); weft rules list shows all", owner,
                op);
  }
  const auto facts = facts_for(parsed, tables, owner, *table);
  if (!facts) return error_of(facts);
  std::vector<std::string> lines;
  for (const auto& [name, value] : facts->entries()) lines.push_back(fmt::format("{}={}", name, to_string(value)));
  fmt::print("facts: {}\n", fmt::join(lines, " "));
  const RuleMatch match = table->match(*facts);
  for (const PassedRule& passed : match.passed)
    fmt::print("  #{} {} passed over: {}\n", passed.index + 1, passed.use, passed.reason);
  if (!match.index) {
    fmt::print("no rule matches\n");
    return {};
  }
  const Rule& rule = table->rules()[*match.index];
  fmt::print("  #{} {} matches: {}\n", *match.index + 1, rule.use, rule.why);
  return {};
}

}  // namespace

int rules_verb(const Arguments& arguments) {
  // FACT=VALUE words may stand anywhere; they become --fact options.
  Arguments named;
  for (const std::string& argument : arguments) {
    const bool fact = !argument.starts_with("-") && argument.find('=') != std::string::npos;
    named.push_back(fact ? "--fact=" + argument : argument);
  }
  OptionTable table = make_table();
  const Parsed parsed = parse(table, named);
  if (parsed.exit) return *parsed.exit;
  const std::string action = parsed.has("action") ? parsed.text("action") : "";
  if (action == "diff") return rules_diff(parsed);
  if (action != "check" && action != "list" && action != "explain") {
    return usage_error("rules", fmt::format("\"{}\" is no action; wanted check, list, explain or diff", action));
  }
  const auto files = read_rule_files(parsed);
  if (!files) return report(files.error());
  const auto tables = load_tables(parsed, *files, "");
  if (!tables) return report(tables.error());
  const Status done = action == "check"  ? check(*tables)
                      : action == "list" ? list(parsed, *tables)
                                         : explain(parsed, *tables);
  return done ? static_cast<int>(exit_ok) : report(done.error());
}

}  // namespace weft::cli
