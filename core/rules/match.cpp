// First match wins; every rule passed over says which test failed.
#include <fmt/core.h>

#include <algorithm>
#include <cassert>

#include "core/rules/predicate.hpp"
#include "core/rules/rules.hpp"

namespace weft {
namespace {

/// The first test that fails, or null.
const RuleTest* first_failure(const Rule& rule, const Facts& facts) {
  for (const RuleTest& test : rule.when) {
    const FactValue* value = facts.find(test.fact);
    assert(value != nullptr && "the vocabulary that a table was parsed with has more facts than the call");
    assert(fits(test.op, *value) && "a fact changed its kind");
    if (value == nullptr || !fits(test.op, *value) || !holds(test, *value)) return &test;
  }
  return nullptr;
}

std::string reason_of(const RuleTest& failed, const Facts& facts) {
  const FactValue* value = facts.find(failed.fact);
  return fmt::format("{} is {}, wanted {}", failed.fact, value == nullptr ? "not known" : to_string(*value),
                     to_string(failed));
}

}  // namespace

RuleMatch RuleTable::match(const Facts& facts) const {
  RuleMatch result;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const RuleTest* failed = first_failure(rules_[i], facts);
    if (failed == nullptr) {
      result.index = i;
      return result;
    }
    result.passed.push_back({i, rules_[i].use, reason_of(*failed, facts)});
  }
  return result;
}

std::vector<std::size_t> RuleTable::matching(const Facts& facts) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    if (first_failure(rules_[i], facts) == nullptr) indices.push_back(i);
  }
  return indices;
}

}  // namespace weft
