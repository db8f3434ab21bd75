// weft rules: check tables, list them, and explain what a table says about given facts.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <charconv>

#include "backends/all.hpp"
#include "cli/options.hpp"
#include "cli/rule_files.hpp"
#include "graph/placement.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "rules",
      .usage = "weft rules check|list|explain [--rules FILE] [--backend B] [--op OP] [FACT=VALUE …]",
      .about =
          "check    loads every table, those of --rules instead of the embedded ones; says what is wrong\n"
          "list     prints the rules of a backend's tables, or of placement (--backend placement)\n"
          "explain  prints which rule of --backend's table for --op matches the facts FACT=VALUE, and the first fact\n"
          "         that failed of each rule before it; facts that aren't given have the device's or an example's "
          "value",
      .options = {},
      .positionals = {"action"}};
  table.options.add_options()("action", po::value<std::string>(), "check, list or explain")(
      "op", po::value<std::string>()->default_value(""), "only this op's table")(
      "fact", po::value<std::vector<std::string>>()->composing(), "FACT=VALUE for explain; a set is {a,b}; repeatable");
  add_backend_options(table);
  return table;
}

/// Every table in force: of the backends that can be opened here, and placement.
struct Tables {
  std::vector<std::shared_ptr<Backend>> backends;
  std::vector<RuleTable> placement;

  [[nodiscard]] std::span<const RuleTable> of(std::string_view owner) const {
    if (owner == "placement") return placement;
    const auto found = std::ranges::find(backends, owner, [](const auto& b) { return b->name(); });
    return found == backends.end() ? std::span<const RuleTable>{} : (*found)->rules();
  }
  [[nodiscard]] std::vector<std::string> owners() const {
    std::vector<std::string> names;
    for (const auto& backend : backends) names.emplace_back(backend->name());
    names.emplace_back("placement");
    return names;
  }
};

Result<Tables> load_tables(const Parsed& parsed) {
  Tables tables;
  const auto files = read_rule_files(parsed);
  if (!files) return error_of(files);
  const auto catalogue = backend_catalogue(parsed);
  if (!catalogue) return error_of(catalogue);
  for (const std::string& name : catalogue->names()) {
    BackendOptions options;
    options.rules = files->for_backend(name);
    auto backend = catalogue->make(name, options);
    if (backend) {
      tables.backends.push_back(std::move(*backend));
    } else if (backend.error().code == ErrorCode::unsupported) {
      fmt::print(stderr, "weft: {}'s tables are left out: {}\n", name, backend.error().message);
    } else {
      return error_of(backend);
    }
  }
  auto placement = graph::load_placement_rules(files->placement, tables.backends);
  if (!placement) return error_of(placement);
  tables.placement.push_back(std::move(*placement));
  return tables;
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

std::string test_text(const RuleTest& test) {
  static constexpr std::array names{"=",         "one of",    "not",         "at_least", "at_most",
                                    "less_than", "more_than", "multiple_of", "has",      "starts_with"};
  std::vector<std::string> operands;
  for (const FactValue& value : test.operands) operands.push_back(to_string(value));
  return fmt::format("{} {} {}", test.fact, names[static_cast<std::size_t>(test.op)], fmt::join(operands, "|"));
}

void print_table(std::string_view owner, const RuleTable& table) {
  fmt::print("{} {} ({})\n", owner, table.op(), table.source());
  for (std::size_t i = 0; i < table.rules().size(); ++i) {
    const Rule& rule = table.rules()[i];
    std::vector<std::string> tests;
    for (const RuleTest& test : rule.when) tests.push_back(test_text(test));
    fmt::print("  #{} {} when {}: {}\n", i + 1, rule.use,
               tests.empty() ? "anything" : fmt::format("{}", fmt::join(tests, ", ")), rule.why);
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
  Facts facts = example_call_facts(table.op());
  const auto backend = std::ranges::find(tables.backends, owner, [](const auto& b) { return b->name(); });
  if (backend != tables.backends.end()) facts.merge("device.", facts_of((*backend)->device()));
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
  if (action != "check" && action != "list" && action != "explain") {
    return usage_error("rules", fmt::format("\"{}\" is no action; wanted check, list or explain", action));
  }
  const auto tables = load_tables(parsed);
  if (!tables) return report(tables.error());
  const Status done = action == "check"  ? check(*tables)
                      : action == "list" ? list(parsed, *tables)
                                         : explain(parsed, *tables);
  return done ? static_cast<int>(exit_ok) : report(done.error());
}

}  // namespace weft::cli
