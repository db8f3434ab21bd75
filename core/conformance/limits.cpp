// Limits are rules with nothing to use: each op's entries become a rule table, which brings checks and matching along.
#include "core/conformance/limits.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/conformance/report.hpp"
#include "core/rules/strict_json.hpp"

namespace weft::conformance {
namespace {

using Json = nlohmann::json;
constexpr const char* sample_fact = "sample";

template <class... Args>
tl::unexpected<Error> reject(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorCode::invalid_file, format, std::forward<Args>(args)...);
}

Result<std::vector<std::string>> names_in(const Json& json) {
  std::vector<std::string> names;
  for (const Json& name : json.is_array() ? json : Json::array({json})) {
    const auto known = runnable_ops();
    if (!name.is_string() || std::ranges::find(known, name.get_ref<const std::string&>()) == known.end()) {
      return reject("\"op\" is {}; it must name an op that backends run", name.dump());
    }
    names.push_back(name.get<std::string>());
  }
  return names;
}

/// The ops that an entry's "op" stands for.
Result<std::vector<std::string>> ops_of(const Json& entry) {
  const auto op = entry.find("op");
  if (op == entry.end()) return reject("\"op\" is missing");
  if (!op->is_object()) return names_in(*op);
  if (op->size() != 1 || !op->contains("not"))
    return reject("\"op\" is {}; as an object it has one key, \"not\"", op->dump());
  const auto others = names_in(op->at("not"));
  if (!others) return error_of(others);
  std::vector<std::string> ops;
  for (const std::string_view name : runnable_ops()) {
    if (std::ranges::find(*others, name) == others->end()) ops.emplace_back(name);
  }
  return ops;
}

/// The entry as a rule; what else is wrong with it, the rule's parser says.
Result<Json> rule_of(const Json& entry) {
  for (const auto& [key, value] : entry.items()) {
    if (key != "op" && key != "when" && key != "reason") {
      return reject("unknown key {}; known are op, when, reason", json_quoted(key));
    }
  }
  if (!entry.contains("when")) return reject("\"when\" is missing; {{}} names every call");
  if (!entry.contains("reason")) return reject("\"reason\" is missing");
  return Json{{"when", entry.at("when")}, {"use", "limit"}, {"why", entry.at("reason")}};
}

struct OpRules {
  Json rules = Json::array();
  std::vector<std::size_t> numbers;
};

Status add_entry(const Json& entry, std::size_t number, std::map<std::string, OpRules>& all) {
  if (!entry.is_object()) return reject("{} is no object", entry.dump());
  const auto rule = rule_of(entry);
  if (!rule) return error_of(rule);
  const auto ops = ops_of(entry);
  if (!ops) return error_of(ops);
  for (const std::string& op : *ops) {
    all[op].rules.push_back(*rule);
    all[op].numbers.push_back(number);
  }
  return {};
}

Result<std::map<std::string, OpRules>> rules_by_op(const EmbeddedFile& file) {
  if (Status ok = check_strict_json(file.text, file.path); !ok) return error_of(ok);
  const Json json = Json::parse(file.text, nullptr, false);
  if (!json.is_object() || json.size() != 2 || json.value("schema", Json()) != 1 || !json.contains("limits") ||
      !json.at("limits").is_array()) {
    return reject("{}: wanted an object of \"schema\": 1 and a list \"limits\"", file.path);
  }
  std::map<std::string, OpRules> all;
  std::size_t number = 0;
  for (const Json& entry : json.at("limits")) {
    ++number;
    if (Status ok = add_entry(entry, number, all); !ok) {
      return error_of(ok, fmt::format("{}: limit {}", file.path, number));
    }
  }
  return all;
}

Result<RuleTable> table_of(const std::string& op, const OpRules& rules, std::string_view path, const Facts& device) {
  Json table{{"schema", 1}, {"op", op}, {"rules", rules.rules}};
  if (!rules.rules.back().at("when").empty()) table["floor"] = "none";
  RuleVocabulary words;
  words.facts = example_call_facts(op);
  words.facts.set(sample_fact, "name").merge("", device);
  words.choices = {"limit"};
  return RuleTable::parse(table.dump(), fmt::format("{}: limits of {}", path, op), words);
}

}  // namespace

Result<Limits> Limits::parse(const EmbeddedFile& file, const DeviceInfo& device) {
  Limits limits;
  limits.device_.merge("device.", facts_of(device));
  if (file.text.empty()) return limits;
  const auto all = rules_by_op(file);
  if (!all) return error_of(all);
  for (const auto& [op, rules] : *all) {
    auto table = table_of(op, rules, file.path, limits.device_);
    if (!table) return error_of(table);
    for (const std::size_t number : rules.numbers) limits.entries_.push_back({op, number});
    limits.tables_.push_back({std::move(*table), rules.numbers});
  }
  return limits;
}

std::optional<Limits::Match> Limits::find(const OpCall& call, std::string_view sample) const {
  const std::string_view op = weft::name_of(call.op);
  const auto table = std::ranges::find_if(tables_, [&](const Table& t) { return t.rules.op() == op; });
  if (table == tables_.end()) return std::nullopt;
  Facts facts = facts_of(call);
  facts.set(sample_fact, sample).merge("", device_);
  const auto index = table->rules.match(facts).index;
  if (!index) return std::nullopt;
  return Match{table->numbers[*index], table->rules.rules()[*index].why};
}

}  // namespace weft::conformance
