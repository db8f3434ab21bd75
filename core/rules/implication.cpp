// A conjunction of tests leaves a fact either a finite list of values, which is tried out one by one, or an infinite
// (or very large) set of a simple shape: an arithmetic progression or all words with a prefix, without a few values.
#include "core/rules/implication.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "core/rules/predicate.hpp"

namespace weft {
namespace {

using Operator = RuleTest::Operator;
using Limits = std::numeric_limits<std::int64_t>;

constexpr std::uint64_t max_listed = 4096;

bool passes_all(const FactValue& value, std::span<const RuleTest> tests) {
  return std::ranges::all_of(tests, [&](const RuleTest& test) { return holds(test, value); });
}

/// The values of an equality or list test, narrowed by the other tests; nothing where no test lists values.
std::optional<std::vector<FactValue>> listed_values(std::span<const RuleTest> tests) {
  for (const RuleTest& test : tests) {
    if (test.op != Operator::equal && test.op != Operator::any_of) continue;
    std::vector<FactValue> values;
    std::ranges::copy_if(test.operands, std::back_inserter(values),
                         [&](const FactValue& value) { return passes_all(value, tests); });
    return values;
  }
  return std::nullopt;
}

/// Multiples of `step` from `first` to `last` but for `excluded`. Empty when first > last.
struct Progression {
  std::int64_t first = Limits::min();
  std::int64_t last = Limits::max();
  std::int64_t step = 1;
  std::set<std::int64_t> excluded;

  [[nodiscard]] std::uint64_t gaps() const {
    return (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) / static_cast<std::uint64_t>(step);
  }
  void clear() {
    first = 1;
    last = 0;
  }
};

void narrow_step(Progression& set, std::int64_t n) {
  const std::int64_t factor = set.step / std::gcd(set.step, n);
  if (factor <= Limits::max() / n) {
    set.step = factor * n;
    return;
  }
  // The common multiple is beyond all numbers, so only 0 is left.
  set.first = std::max<std::int64_t>(set.first, 0);
  set.last = std::min<std::int64_t>(set.last, 0);
}

void narrow(Progression& set, const RuleTest& test) {
  if (test.op == Operator::none_of) {
    for (const FactValue& value : test.operands) set.excluded.insert(std::get<std::int64_t>(value));
    return;
  }
  const std::int64_t n = std::get<std::int64_t>(test.operands[0]);
  switch (test.op) {
    case Operator::at_least: set.first = std::max(set.first, n); break;
    case Operator::at_most: set.last = std::min(set.last, n); break;
    case Operator::more_than:
      if (n == Limits::max()) return set.clear();
      set.first = std::max(set.first, n + 1);
      break;
    case Operator::less_than:
      if (n == Limits::min()) return set.clear();
      set.last = std::min(set.last, n - 1);
      break;
    case Operator::multiple_of: narrow_step(set, n); break;
    default: break;
  }
}

/// Moves both ends inwards to members of the progression.
void tighten(Progression& set) {
  const std::int64_t low = set.first % set.step;
  const std::int64_t up = low > 0 ? set.step - low : -low;
  if (set.first > set.last || set.first > Limits::max() - up) return set.clear();
  set.first += up;
  const std::int64_t high = set.last % set.step;
  const std::int64_t down = high < 0 ? set.step + high : high;
  if (set.last < Limits::min() + down) return set.clear();
  set.last -= down;
  while (set.first <= set.last && set.excluded.contains(set.first)) {
    if (set.first > Limits::max() - set.step) return set.clear();
    set.first += set.step;
  }
  while (set.first <= set.last && set.excluded.contains(set.last)) {
    if (set.last < Limits::min() + set.step) return set.clear();
    set.last -= set.step;
  }
}

Progression progression(std::span<const RuleTest> tests) {
  Progression set;
  for (const RuleTest& test : tests) {
    narrow(set, test);
    if (set.first > set.last) break;
  }
  if (set.first <= set.last) tighten(set);
  return set;
}

bool is_member(const Progression& set, std::int64_t n) {
  return n >= set.first && n <= set.last && n % set.step == 0 && !set.excluded.contains(n);
}

bool progression_implies(const Progression& set, const RuleTest& other) {
  if (set.gaps() < max_listed) {
    for (std::uint64_t i = 0; i <= set.gaps(); ++i) {
      const std::int64_t n = set.first + static_cast<std::int64_t>(i) * set.step;
      if (!set.excluded.contains(n) && !holds(other, n)) return false;
    }
    return true;
  }
  switch (other.op) {
    case Operator::none_of:
      return std::ranges::none_of(
          other.operands, [&](const FactValue& value) { return is_member(set, std::get<std::int64_t>(value)); });
    case Operator::at_least:
    case Operator::more_than: return holds(other, set.first);
    case Operator::at_most:
    case Operator::less_than: return holds(other, set.last);
    case Operator::multiple_of: return set.step % std::get<std::int64_t>(other.operands[0]) == 0;
    default: return false;
  }
}

/// All words that begin with `prefix`, but for `excluded`.
struct PrefixSet {
  std::string prefix;
  bool empty = false;
  std::vector<FactValue> excluded;
};

PrefixSet prefix_set(std::span<const RuleTest> tests) {
  PrefixSet set;
  for (const RuleTest& test : tests) {
    if (test.op == Operator::none_of) {
      set.excluded.insert(set.excluded.end(), test.operands.begin(), test.operands.end());
    } else if (test.op == Operator::starts_with) {
      const std::string& word = std::get<std::string>(test.operands[0]);
      const bool longer = word.starts_with(set.prefix);
      set.empty = set.empty || (!longer && !set.prefix.starts_with(word));
      if (longer) set.prefix = word;
    }
  }
  return set;
}

bool prefix_set_implies(const PrefixSet& set, const RuleTest& other) {
  if (other.op == Operator::starts_with) return set.prefix.starts_with(std::get<std::string>(other.operands[0]));
  if (other.op != Operator::none_of) return false;
  return std::ranges::none_of(other.operands, [&](const FactValue& value) {
    return std::get<std::string>(value).starts_with(set.prefix) &&
           std::ranges::find(set.excluded, value) == set.excluded.end();
  });
}

bool requires_words(std::span<const RuleTest> tests, const RuleTest& other) {
  return std::ranges::all_of(other.operands, [&](const FactValue& word) {
    return std::ranges::any_of(
        tests, [&](const RuleTest& test) { return std::ranges::find(test.operands, word) != test.operands.end(); });
  });
}

bool about_number(std::span<const RuleTest> tests) {
  return std::holds_alternative<std::int64_t>(tests.front().operands.front());
}

}  // namespace

bool contradicts(std::span<const RuleTest> tests) {
  if (tests.empty() || tests.front().op == Operator::has) return false;
  if (const auto values = listed_values(tests)) return values->empty();
  if (about_number(tests)) {
    const Progression set = progression(tests);
    return set.first > set.last;
  }
  return prefix_set(tests).empty;
}

bool implies(std::span<const RuleTest> tests, const RuleTest& other) {
  if (other.op == Operator::has) return requires_words(tests, other);
  if (const auto values = listed_values(tests)) {
    return std::ranges::all_of(*values, [&](const FactValue& value) { return holds(other, value); });
  }
  if (std::holds_alternative<std::int64_t>(other.operands.front())) {
    return progression_implies(progression(tests), other);
  }
  return prefix_set_implies(prefix_set(tests), other);
}

}  // namespace weft
