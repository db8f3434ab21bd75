// weft rules diff: what two rule tables say differently.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/rule_tables.hpp"
#include "core/rules/rule_diff.hpp"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;
using Place = std::optional<std::size_t>;

constexpr std::string_view built_in = "built-in";
constexpr int exit_wrong = 2;  ///< as diff(1): 1 is kept for tables that differ

/// The two tables with what they were loaded by.
struct Sides {
  std::string owner;
  std::string op;
  Tables before, after;

  [[nodiscard]] const RuleTable* table(const Tables& tables) const {
    const auto all = tables.of(owner);
    const auto found = std::ranges::find(all, op, &RuleTable::op);
    return found == all.end() ? nullptr : &*found;
  }
};

Result<Tables> load_side(const Parsed& parsed, const std::optional<OwnedRuleFile>& file, const std::string& owner) {
  RuleFiles files;
  if (file && owner == "placement") files.placement.push_back(file->file);
  if (file && owner != "placement") files.backend_files.emplace_back(owner, file->file);
  return load_tables(parsed, files, owner);
}

/// Reads what a side names; nothing for built-in.
Result<std::optional<OwnedRuleFile>> read_side(const Parsed& parsed, const std::string& name) {
  if (name == built_in) return std::optional<OwnedRuleFile>();
  auto file = read_rule_file(parsed, name, parsed.has("backend") ? parsed.text("backend") : "");
  if (!file) return error_of(file);
  return std::optional(std::move(*file));
}

Result<Sides> load_sides(const Parsed& parsed) {
  const auto a = read_side(parsed, parsed.text("a"));
  if (!a) return error_of(a);
  const auto b = read_side(parsed, parsed.text("b"));
  if (!b) return error_of(b);
  if (!*a && !*b) return fail(ErrorCode::invalid_argument, "both sides are built-in; one must be a file");
  const OwnedRuleFile& known = *a ? **a : **b;
  if (*a && *b && ((*a)->op != (*b)->op || (*a)->owner != (*b)->owner)) {
    return fail(ErrorCode::invalid_argument, "{} is for {} {}, but {} is for {} {}", (*a)->file.source, (*a)->owner,
                (*a)->op, (*b)->file.source, (*b)->owner, (*b)->op);
  }
  if (const std::string& op = parsed.text("op"); !op.empty() && op != known.op) {
    return fail(ErrorCode::invalid_argument, "--op is {}, but {} is for {}", op, known.file.source, known.op);
  }
  auto before = load_side(parsed, *a, known.owner);
  if (!before) return error_of(before);
  auto after = load_side(parsed, *b, known.owner);
  if (!after) return error_of(after);
  return Sides{known.owner, known.op, std::move(*before), std::move(*after)};
}

/// FACT=VALUE as `weft rules explain` takes it.
std::vector<std::string> words_of(const Facts& facts, std::span<const std::string> names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(fmt::format("{}={}", name, to_string(*facts.find(name))));
  return words;
}

/// "#2 rows with ROWS=4", or "no rule".
std::string decision_text(const RuleTable& table, Place place) {
  if (!place) return "no rule";
  const Rule& rule = table.rules()[*place];
  return fmt::format("#{} {}{}", *place + 1, rule.use, parameters_of(rule));
}

std::string call_text(const Sides& sides, const RuleDiff& diff, const DecisionChange& change) {
  if (!change.example) return "undecided: no call was found, but there may be one";
  const std::string op = sides.owner == "placement" ? "" : fmt::format(" --op {}", sides.op);
  std::string words;
  for (const std::string& word : words_of(*change.example, diff.facts)) {
    const bool plain = word.find_first_of("{} ()'\"…") == std::string::npos;
    words += plain ? " " + word : fmt::format(" '{}'", word);
  }
  return fmt::format("e.g. weft rules explain --backend {}{}{}", sides.owner, op, words);
}

void print_change(const RuleChange& change, const RuleTable& before, const RuleTable& after) {
  const bool added = change.kind == RuleChange::Kind::added;
  const RuleTable& table = added ? after : before;
  const std::size_t index = added ? *change.after : *change.before;
  const std::string to = change.before && change.after && *change.before != *change.after
                             ? fmt::format(" -> #{}", *change.after + 1)
                             : std::string();
  const Rule& rule = table.rules()[index];
  fmt::print("  {:<8} #{}{} {}{} when {}\n", name_of(change.kind), index + 1, to, rule.use, parameters_of(rule),
             conditions_of(rule));
  for (const std::string& detail : change.details) fmt::print("           {}\n", detail);
}

void print_text(const Sides& sides, const RuleDiff& diff) {
  const RuleTable& before = *sides.table(sides.before);
  const RuleTable& after = *sides.table(sides.after);
  fmt::print("{} {}: {} -> {}\n", sides.owner, sides.op, before.source(), after.source());
  for (const RuleChange& change : diff.rules) print_change(change, before, after);
  for (const DecisionChange& change : diff.decisions) {
    fmt::print("  decided  {} -> {}\n           {}\n", decision_text(before, change.before),
               decision_text(after, change.after), call_text(sides, diff, change));
  }
  if (diff.same()) fmt::print("  no difference\n");
  if (!diff.same() && diff.decisions.empty()) fmt::print("  every call is decided as before\n");
}

Json place_json(Place place) { return place ? Json(*place + 1) : Json(); }

Json rule_json(const RuleTable& table, Place place) {
  if (!place) return {};
  const Rule& rule = table.rules()[*place];
  return {{"rule", *place + 1}, {"use", rule.use}, {"with", rule.with}};
}

Json value_json(const FactValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

void print_json(const Sides& sides, const RuleDiff& diff) {
  const RuleTable& before = *sides.table(sides.before);
  const RuleTable& after = *sides.table(sides.after);
  Json json{{"backend", sides.owner}, {"op", sides.op},         {"a", before.source()},      {"b", after.source()},
            {"same", diff.same()},    {"rules", Json::array()}, {"decisions", Json::array()}};
  for (const RuleChange& change : diff.rules) {
    json["rules"].push_back({{"kind", name_of(change.kind)},
                             {"a", place_json(change.before)},
                             {"b", place_json(change.after)},
                             {"details", change.details}});
  }
  for (const DecisionChange& change : diff.decisions) {
    Json call;
    for (const std::string& fact : diff.facts) {
      if (change.example) call[fact] = value_json(*change.example->find(fact));
    }
    json["decisions"].push_back(
        {{"a", rule_json(before, change.before)}, {"b", rule_json(after, change.after)}, {"example", call}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

int rules_diff(const Parsed& parsed) {
  if (!parsed.has("a") || !parsed.has("b")) return usage_error("rules", "diff wants two tables, files or built-in");
  const auto sides = load_sides(parsed);
  if (!sides) {
    report(sides.error());
    return exit_wrong;
  }
  const RuleTable* before = sides->table(sides->before);
  const RuleTable* after = sides->table(sides->after);
  if (before == nullptr || after == nullptr) {
    return usage_error("rules", fmt::format("{} has no table for {}", sides->owner, sides->op));
  }
  const RuleDiff diff = diff_rules(*before, *after, sides->before.example_facts(sides->owner, sides->op));
  if (parsed.flag("json")) {
    print_json(*sides, diff);
  } else {
    print_text(*sides, diff);
  }
  return diff.same() ? exit_ok : exit_failure;
}

}  // namespace weft::cli
