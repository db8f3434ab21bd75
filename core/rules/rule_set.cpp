// Collects a backend's tables and turns matches into selections.
#include "core/rules/rule_set.hpp"

#include <algorithm>
#include <set>

namespace weft {
namespace {

Status check_unique(std::span<const RuleTable> tables, const RuleTable& table) {
  const auto other = std::ranges::find(tables, table.op(), &RuleTable::op);
  if (other == tables.end()) return {};
  return fail(ErrorCode::invalid_file, "{}: is a table for {}, but so is {}; keep one", table.source(), table.op(),
              other->source());
}

Result<std::vector<RuleTable>> parse_embedded(std::span<const EmbeddedFile> files, const VocabularyOf& vocabulary) {
  std::vector<RuleTable> tables;
  for (const EmbeddedFile& file : files) {
    if (!file.path.ends_with(".json")) continue;
    const auto op = rule_table_op(file.text, file.path);
    if (!op) return error_of(op);
    auto table = RuleTable::parse(file.text, file.path, vocabulary(*op));
    if (!table) return error_of(table);
    if (Status ok = check_unique(tables, *table); !ok) return error_of(ok);
    tables.push_back(std::move(*table));
  }
  return tables;
}

Result<std::vector<RuleTable>> parse_overrides(std::span<const RuleOverride> overrides,
                                               const VocabularyOf& vocabulary) {
  std::vector<RuleTable> tables;
  for (const RuleOverride& file : overrides) {
    const auto op = rule_table_op(file.text, file.source);
    if (!op) return error_of(op);
    RuleVocabulary words = vocabulary(*op);
    words.every_choice_used = false;
    auto table = RuleTable::parse(file.text, file.source, words);
    if (!table) return error_of(table);
    if (Status ok = check_unique(tables, *table); !ok) return error_of(ok);
    tables.push_back(std::move(*table));
  }
  return tables;
}

std::string op_list(std::span<const RuleTable> tables) {
  std::string text;
  for (const RuleTable& table : tables) text += (text.empty() ? "" : ", ") + table.op();
  return text;
}

Selection selection_of(std::string_view backend, const RuleTable& table, std::size_t index) {
  const Rule& rule = table.rules()[index];
  Selection selection;
  selection.kernel = fmt::format("{}/{}/{}", backend, table.op(), rule.use);
  selection.with = rule.with;
  selection.rule = fmt::format("{}#{}", table.source(), index + 1);
  selection.why = rule.why;
  selection.activations = rule.activations == "int8" ? ActivationPrecision::int8 : ActivationPrecision::full;
  selection.deterministic = rule.deterministic;
  return selection;
}

}  // namespace

std::string_view variant_of(std::string_view kernel) { return kernel.substr(kernel.rfind('/') + 1); }

Result<RuleSet> RuleSet::make(std::string_view backend, std::span<const EmbeddedFile> files,
                              std::span<const RuleOverride> overrides, const VocabularyOf& vocabulary) {
  auto tables = parse_embedded(files, vocabulary);
  if (!tables) return error_of(tables);
  RuleSet set;
  set.backend_ = backend;
  set.tables_ = std::move(*tables);
  for (const RuleOverride& file : overrides) {
    const auto op = rule_table_op(file.text, file.source);
    if (!op) return error_of(op);
    if (set.find(*op) != nullptr) continue;
    return fail(ErrorCode::invalid_file, "{}: the {} backend has no table for \"{}\"; it has {}", file.source, backend,
                *op, op_list(set.tables_));
  }
  auto replacements = parse_overrides(overrides, vocabulary);
  if (!replacements) return error_of(replacements);
  for (RuleTable& table : *replacements) *std::ranges::find(set.tables_, table.op(), &RuleTable::op) = std::move(table);
  return set;
}

const RuleTable* RuleSet::find(std::string_view op) const {
  const auto at = std::ranges::find(tables_, op, &RuleTable::op);
  return at == tables_.end() ? nullptr : &*at;
}

Result<Selection> RuleSet::select(std::string_view op, const Facts& facts) const {
  const RuleTable* table = find(op);
  if (table == nullptr) {
    return fail(ErrorCode::unsupported, "{} has no kernel for {}", backend_, op);
  }
  RuleMatch match = table->match(facts);
  if (!match.index) {
    std::string reasons;
    for (const PassedRule& passed : match.passed) {
      reasons += fmt::format("{}#{} {}: {}", reasons.empty() ? "" : "; ", passed.index + 1, passed.use, passed.reason);
    }
    return fail(ErrorCode::unsupported, "{} has no kernel for this {}: no rule of {} matches ({})", backend_, op,
                table->source(), reasons);
  }
  Selection selection = selection_of(backend_, *table, *match.index);
  selection.passed = std::move(match.passed);
  return selection;
}

std::vector<Selection> RuleSet::alternatives(std::string_view op, const Facts& facts) const {
  std::vector<Selection> selections;
  const RuleTable* table = find(op);
  if (table == nullptr) return selections;
  const auto same = [](const Selection& a, const Selection& b) {
    return a.kernel == b.kernel && a.with == b.with && a.activations == b.activations &&
           a.deterministic == b.deterministic;
  };
  for (const std::size_t index : table->matching(facts)) {
    Selection next = selection_of(backend_, *table, index);
    if (std::ranges::none_of(selections, [&](const Selection& s) { return same(s, next); })) {
      selections.push_back(std::move(next));
    }
  }
  return selections;
}

}  // namespace weft
