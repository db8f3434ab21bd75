// Numbers: between two neighbouring operands only divisibility tells values apart. Words: the operands, and for each
// prefix one word that no operand is. Sets: which of the operands they hold.
#include "core/rules/fact_values.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "core/backend.hpp"
#include "core/dtype.hpp"
#include "core/rules/predicate.hpp"

namespace weft {
namespace {

using Operator = RuleTest::Operator;
using Limits = std::numeric_limits<std::int64_t>;
using Tests = std::span<const RuleTest* const>;

constexpr std::int64_t max_period = 4096;
constexpr std::size_t max_set_words = 10;

/// Which tests a value passes.
std::vector<bool> class_of(const FactValue& value, Tests tests) {
  std::vector<bool> passed;
  for (const RuleTest* test : tests) passed.push_back(holds(*test, value));
  return passed;
}

/// Keeps the first value of each class.
class Collector {
 public:
  explicit Collector(Tests tests) : tests_(tests) {}
  void add(FactValue value) {
    if (seen_.insert(class_of(value, tests_)).second) values_.push_back(std::move(value));
  }
  [[nodiscard]] std::vector<FactValue> take() && { return std::move(values_); }

 private:
  Tests tests_;
  std::set<std::vector<bool>> seen_;
  std::vector<FactValue> values_;
};

/// The common multiple of all divisors that are tested, if it isn't above max_period.
std::optional<std::int64_t> period_of(Tests tests) {
  std::int64_t period = 1;
  for (const RuleTest* test : tests) {
    if (test->op != Operator::multiple_of) continue;
    const std::int64_t divisor = std::get<std::int64_t>(test->operands[0]);
    const std::int64_t factor = divisor / std::gcd(period, divisor);
    if (factor > max_period / period) return std::nullopt;
    period *= factor;
  }
  return period;
}

/// Numbers at which a test other than multiple_of changes its answer, and the ends of all numbers. Ascending.
std::vector<std::int64_t> borders_of(Tests tests) {
  std::set<std::int64_t> borders{Limits::min(), 0, Limits::max()};
  for (const RuleTest* test : tests) {
    if (test->op == Operator::multiple_of) continue;
    for (const FactValue& value : test->operands) {
      const std::int64_t n = std::get<std::int64_t>(value);
      borders.insert(n);
      if (n > Limits::min()) borders.insert(n - 1);
      if (n < Limits::max()) borders.insert(n + 1);
    }
  }
  return {borders.begin(), borders.end()};
}

/// Up to `count` numbers from `first` on that are at most `last`.
void add_numbers(std::int64_t first, std::int64_t last, std::int64_t count, Collector& values) {
  for (std::int64_t i = 0; i < count && first <= last; ++i) {
    values.add(first);
    if (first++ == Limits::max()) return;
  }
}

RepresentativeValues numbers(Tests tests, const FactValue& example) {
  Collector values(tests);
  values.add(example);
  const std::vector<std::int64_t> borders = borders_of(tests);
  const std::optional<std::int64_t> period = period_of(tests);
  // Multiples of the divisors come first where the period is too long to be walked through.
  for (const RuleTest* test : tests) {
    if (test->op == Operator::multiple_of) values.add(test->operands[0]);
  }
  const auto walk = [&](bool negative) {
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      if ((borders[i] < 0) != negative) continue;
      add_numbers(borders[i], borders[i + 1], period.value_or(max_period) + 1, values);
    }
  };
  walk(false);
  values.add(Limits::max());
  walk(true);
  return {std::move(values).take(), period.has_value()};
}

/// The words that a fact may be, where the program knows them all.
std::vector<std::string_view> closed_words(std::string_view fact) {
  if (fact == "phase") return {name_of(Phase::decode), name_of(Phase::prefill)};
  if (fact == "precision") return {name_of(Precision::fast), name_of(Precision::exact)};
  return {};
}

/// Some word that begins with `prefix`, and with no longer tested prefix, and that no test names.
std::string fresh_word(const std::string& prefix, Tests tests) {
  std::string word = prefix + "…";
  const auto named = [&](const FactValue& operand) { return std::get<std::string>(operand).starts_with(word); };
  while (std::ranges::any_of(tests, [&](const RuleTest* test) { return std::ranges::any_of(test->operands, named); })) {
    word += "…";
  }
  return word;
}

RepresentativeValues words(Tests tests, const FactValue& example) {
  Collector values(tests);
  values.add(example);
  const std::vector<std::string_view> closed = closed_words(tests.front()->fact);
  for (const std::string_view word : closed) values.add(std::string(word));
  if (!closed.empty()) return {std::move(values).take(), true};
  for (const RuleTest* test : tests) {
    for (const FactValue& operand : test->operands) values.add(operand);
  }
  // A type is a better example of "any other word" than one that doesn't exist.
  if (dtype_from_name(std::get<std::string>(example))) {
    for (const DType type : weight_types()) values.add(std::string(name_of(type)));
  }
  values.add(fresh_word("", tests));
  for (const RuleTest* test : tests) {
    if (test->op == Operator::starts_with) values.add(fresh_word(std::get<std::string>(test->operands[0]), tests));
  }
  return {std::move(values).take(), true};
}

RepresentativeValues sets(Tests tests, const FactValue& example) {
  std::set<std::string> tested;
  for (const RuleTest* test : tests) {
    for (const FactValue& word : test->operands) tested.insert(std::get<std::string>(word));
  }
  Collector values(tests);
  values.add(example);
  values.add(std::vector<std::string>{});
  const std::vector<std::string> all(tested.begin(), tested.end());
  values.add(all);
  if (all.size() > max_set_words) return {std::move(values).take(), false};
  for (std::size_t mask = 0; mask < std::size_t{1} << all.size(); ++mask) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((mask >> i & 1U) != 0) some.push_back(all[i]);
    }
    values.add(std::move(some));
  }
  return {std::move(values).take(), true};
}

}  // namespace

RepresentativeValues representative_values(std::span<const RuleTest* const> tests, const FactValue& example) {
  if (std::holds_alternative<std::int64_t>(example)) return numbers(tests, example);
  if (std::holds_alternative<std::string>(example)) return words(tests, example);
  return sets(tests, example);
}

}  // namespace weft
