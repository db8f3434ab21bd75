// Pairing of rules, and the regions in which two tables decide differently.
#include "core/rules/rule_diff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/rules/predicate.hpp"
#include "core/rules/region.hpp"

namespace weft {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

bool same_decision(const Rule& a, const Rule& b) {
  return a.use == b.use && a.with == b.with && a.activations == b.activations && a.deterministic == b.deterministic;
}

/// Pairs rules that are free on both sides and alike, in order.
template <class Alike>
void pair_up(std::span<const Rule> before, std::span<const Rule> after, Pairs& pairs, Alike alike) {
  const auto is_free = [&](auto side, std::size_t index) {
    return std::ranges::find(pairs, index, side) == pairs.end();
  };
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < after.size() && is_free(&Pairs::value_type::first, i); ++j) {
      if (is_free(&Pairs::value_type::second, j) && alike(before[i], after[j])) pairs.emplace_back(i, j);
    }
  }
}

Pairs paired(std::span<const Rule> before, std::span<const Rule> after) {
  const auto same_tests = [](const Rule& a, const Rule& b) { return conditions_of(a) == conditions_of(b); };
  Pairs pairs;
  pair_up(before, after, pairs, [&](const Rule& a, const Rule& b) { return same_tests(a, b) && same_decision(a, b); });
  pair_up(before, after, pairs, same_tests);
  pair_up(before, after, pairs, same_decision);
  std::ranges::sort(pairs);
  return pairs;
}

/// Places in `pairs`, which are sorted by their first, of a longest run of rising seconds: what stayed in order.
std::vector<bool> stayed(const Pairs& pairs) {
  std::vector<std::size_t> length(pairs.size(), 1);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (pairs[j].second < pairs[i].second) length[i] = std::max(length[i], length[j] + 1);
    }
  }
  std::vector<bool> kept(pairs.size(), false);
  std::size_t wanted = pairs.empty() ? 0 : *std::ranges::max_element(length);
  std::size_t limit = static_cast<std::size_t>(-1);
  for (std::size_t i = pairs.size(); i-- > 0 && wanted > 0;) {
    if (length[i] != wanted || pairs[i].second >= limit) continue;
    kept[i] = true;
    limit = pairs[i].second;
    --wanted;
  }
  return kept;
}

void add_parameters(const Rule& a, const Rule& b, std::vector<std::string>& details) {
  const auto text = [](const RuleParameters& with, const std::string& name) {
    const auto at = with.find(name);
    return at == with.end() ? std::string("none") : fmt::format("{}", at->second);
  };
  RuleParameters all = a.with;
  all.insert(b.with.begin(), b.with.end());
  for (const auto& [name, value] : all) {
    const std::string from = text(a.with, name);
    const std::string to = text(b.with, name);
    if (from != to) details.push_back(fmt::format("with {}: {} -> {}", name, from, to));
  }
}

std::vector<std::string> details_of(const Rule& a, const Rule& b) {
  std::vector<std::string> details;
  const auto add = [&](std::string_view what, const std::string& from, const std::string& to) {
    if (from != to) details.push_back(fmt::format("{}: {} -> {}", what, from, to));
  };
  add("when", conditions_of(a), conditions_of(b));
  add("use", a.use, b.use);
  add_parameters(a, b, details);
  add("activations", a.activations, b.activations);
  add("deterministic", a.deterministic ? "true" : "false", b.deterministic ? "true" : "false");
  add("why", a.why, b.why);
  return details;
}

std::vector<RuleChange> changes_of(std::span<const Rule> before, std::span<const Rule> after) {
  using Kind = RuleChange::Kind;
  std::vector<RuleChange> changes;
  const Pairs pairs = paired(before, after);
  const std::vector<bool> kept = stayed(pairs);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto at = std::ranges::find(pairs, i, &Pairs::value_type::first);
    if (at == pairs.end()) {
      changes.push_back({Kind::removed, i, std::nullopt, {}});
      continue;
    }
    if (!kept[static_cast<std::size_t>(at - pairs.begin())]) changes.push_back({Kind::moved, i, at->second, {}});
    std::vector<std::string> details = details_of(before[i], after[at->second]);
    if (!details.empty()) changes.push_back({Kind::changed, i, at->second, std::move(details)});
  }
  for (std::size_t j = 0; j < after.size(); ++j) {
    if (std::ranges::find(pairs, j, &Pairs::value_type::second) == pairs.end()) {
      changes.push_back({Kind::added, std::nullopt, j, {}});
    }
  }
  return changes;
}

/// The place of a rule, or none for what no rule of a table matches.
std::optional<std::size_t> place(std::size_t index, std::span<const Rule> rules) {
  return index < rules.size() ? std::optional(index) : std::nullopt;
}

/// What rule `index` decides, or what no rule does.
void add_region(std::span<const Rule> rules, std::size_t index, Region& region) {
  for (std::size_t earlier = 0; earlier < index; ++earlier) region.avoided.push_back(&rules[earlier]);
  if (index < rules.size()) region.wanted.push_back(&rules[index]);
}

std::vector<DecisionChange> decisions_of(std::span<const Rule> before, std::span<const Rule> after,
                                         const RegionFinder& finder) {
  std::vector<DecisionChange> decisions;
  for (std::size_t i = 0; i <= before.size(); ++i) {
    for (std::size_t j = 0; j <= after.size(); ++j) {
      const bool both = i < before.size() && j < after.size();
      const bool neither = i == before.size() && j == after.size();
      if (neither || (both && same_decision(before[i], after[j]))) continue;
      Region region;
      add_region(before, i, region);
      add_region(after, j, region);
      RegionSearch search = finder.find(region);
      if (!search.example && search.decided) continue;
      decisions.push_back({place(i, before), place(j, after), std::move(search.example)});
    }
  }
  return decisions;
}

}  // namespace

std::string_view name_of(RuleChange::Kind kind) {
  switch (kind) {
    case RuleChange::Kind::added: return "added";
    case RuleChange::Kind::removed: return "removed";
    case RuleChange::Kind::moved: return "moved";
    case RuleChange::Kind::changed: return "changed";
  }
  return "";
}

std::string conditions_of(const Rule& rule) {
  std::vector<std::string> tests;
  for (RuleTest test : rule.when) {
    std::ranges::sort(test.operands);
    tests.push_back(fmt::format("{} {}", test.fact, to_string(test)));
  }
  std::ranges::sort(tests);
  std::string text;
  for (const std::string& test : tests) text += (text.empty() ? "" : ", ") + test;
  return text.empty() ? "anything" : text;
}

RuleDiff diff_rules(const RuleTable& before, const RuleTable& after, const Facts& examples) {
  RuleDiff diff;
  std::vector<const Rule*> all;
  for (const RuleTable* table : {&before, &after}) {
    for (const Rule& rule : table->rules()) {
      all.push_back(&rule);
      for (const RuleTest& test : rule.when) {
        if (std::ranges::find(diff.facts, test.fact) == diff.facts.end()) diff.facts.push_back(test.fact);
      }
    }
  }
  diff.rules = changes_of(before.rules(), after.rules());
  diff.decisions = decisions_of(before.rules(), after.rules(), RegionFinder(all, examples));
  return diff;
}

}  // namespace weft
