// Facts are independent, so a rule's matches are a product of one set a fact, and inclusion is decided fact by fact.
#include "core/rules/lint.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/rules/implication.hpp"
#include "core/rules/predicate.hpp"
#include "core/rules/region.hpp"

namespace weft {
namespace {

std::vector<RuleTest> tests_of(const Rule& rule, std::string_view fact) {
  std::vector<RuleTest> tests;
  std::ranges::copy_if(rule.when, std::back_inserter(tests), [&](const RuleTest& test) { return test.fact == fact; });
  return tests;
}

std::string wanted(const std::vector<RuleTest>& tests) {
  std::string text;
  for (const RuleTest& test : tests) text += (text.empty() ? "" : " and ") + to_string(test);
  return text;
}

std::optional<std::string> find_contradiction(std::span<const Rule> rules) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const RuleTest& test : rules[i].when) {
      const std::vector<RuleTest> tests = tests_of(rules[i], test.fact);
      if (!contradicts(tests)) continue;
      return fmt::format("rule {}: can never match: no {} is {}; correct or remove the rule", i + 1, test.fact,
                         wanted(tests));
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_shadowed(std::span<const Rule> rules) {
  for (std::size_t later = 1; later < rules.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (!shadows(rules[earlier], rules[later])) continue;
      return fmt::format("rule {}: shadowed by rule {}, which matches all that it matches; move it up or remove it",
                         later + 1, earlier + 1);
    }
  }
  return std::nullopt;
}

/// A rule that no single earlier one shadows, but all of them together do. A floor may be out of reach: it is the
/// promise that there is always a kernel.
std::optional<std::string> find_unreached(std::span<const Rule> rules, const RuleVocabulary& vocabulary) {
  std::vector<const Rule*> all;
  for (const Rule& rule : rules) all.push_back(&rule);
  const RegionFinder finder(all, vocabulary.facts);
  for (std::size_t i = 2; i < rules.size(); ++i) {
    if (rules[i].when.empty()) continue;
    const RegionSearch search = finder.find({{all[i]}, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i)}});
    if (search.example || !search.decided) continue;
    return fmt::format(
        "rule {}: shadowed by the rules before it, which together match all that it matches; move it up "
        "or remove it",
        i + 1);
  }
  return std::nullopt;
}

std::optional<std::string> find_unused_choice(std::span<const Rule> rules, const RuleVocabulary& vocabulary) {
  if (!vocabulary.every_choice_used) return std::nullopt;
  for (const std::string& choice : vocabulary.choices) {
    if (std::ranges::find(rules, choice, &Rule::use) != rules.end()) continue;
    return fmt::format("no rule uses \"{}\"; add a rule that reaches it, or remove it", choice);
  }
  return std::nullopt;
}

std::optional<std::string> find_floor_problem(std::span<const Rule> rules, Floor floor) {
  const bool has_floor = rules.back().when.empty();
  if (floor == Floor::required && !has_floor) {
    return fmt::format(
        "rule {}: the last rule must be a floor; give it an empty \"when\", or say \"floor\": \"none\" "
        "in the table",
        rules.size());
  }
  if (floor == Floor::none && has_floor) {
    return fmt::format("rule {}: is a floor, but the table says \"floor\": \"none\"; remove one of them", rules.size());
  }
  return std::nullopt;
}

}  // namespace

bool shadows(const Rule& earlier, const Rule& later) {
  return std::ranges::all_of(earlier.when,
                             [&](const RuleTest& test) { return implies(tests_of(later, test.fact), test); });
}

std::optional<std::string> lint_rules(std::span<const Rule> rules, const RuleVocabulary& vocabulary, Floor floor) {
  if (rules.empty()) return "there is no rule; add at least a floor";
  if (auto problem = find_contradiction(rules)) return problem;
  if (auto problem = find_shadowed(rules)) return problem;
  if (auto problem = find_unreached(rules, vocabulary)) return problem;
  if (auto problem = find_floor_problem(rules, floor)) return problem;
  return find_unused_choice(rules, vocabulary);
}

}  // namespace weft
