// Property: what the lint says about random rules is what trying every value says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "core/rules/implication.hpp"
#include "core/rules/lint.hpp"
#include "core/rules/predicate.hpp"

namespace weft {
namespace {

using Operator = RuleTest::Operator;

// Operands lie within 0 to 12 and moduli divide 60, so a counterexample to an implication, where there is one, lies
// within a few periods around them.
constexpr std::int64_t domain_low = -130;
constexpr std::int64_t domain_high = 150;
const std::array<std::string, 9> words{"a", "ab", "abc", "abd", "b", "ba", "c", "x", "abcx"};

class RandomRules {
 public:
  explicit RandomRules(std::uint32_t seed) : random_(seed) {}

  Rule rule() {
    Rule result;
    for (int i = below(4); i > 0; --i) result.when.push_back(below(3) == 0 ? word_test() : number_test());
    return result;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  RuleTest number_test() {
    constexpr std::array operators{Operator::equal,   Operator::any_of,    Operator::none_of,   Operator::at_least,
                                   Operator::at_most, Operator::less_than, Operator::more_than, Operator::multiple_of};
    constexpr std::array<std::int64_t, 6> moduli{1, 2, 3, 4, 5, 6};
    RuleTest test{below(2) == 0 ? "n" : "m", operators[below(operators.size())], {}};
    const bool list = test.op == Operator::any_of || test.op == Operator::none_of;
    for (int i = list ? 1 + below(6) : 1; i > 0; --i) {
      test.operands.emplace_back(test.op == Operator::multiple_of ? moduli[below(moduli.size())]
                                                                  : std::int64_t{below(13)});
    }
    return test;
  }

  RuleTest word_test() {
    constexpr std::array operators{Operator::equal, Operator::any_of, Operator::none_of, Operator::starts_with};
    RuleTest test{"w", operators[below(operators.size())], {}};
    const bool list = test.op == Operator::any_of || test.op == Operator::none_of;
    for (int i = list ? 1 + below(4) : 1; i > 0; --i) test.operands.emplace_back(words[below(7)]);
    return test;
  }

  std::mt19937 random_;
};

std::vector<FactValue> make_domain(std::string_view fact) {
  std::vector<FactValue> values;
  if (fact == "w") {
    // Every operand continued in a way that no operand is: what an infinite set has beyond the listed words.
    for (const std::string& word : words) {
      values.emplace_back(word);
      values.emplace_back(word + "~");
    }
    values.emplace_back(std::string("~"));
    return values;
  }
  for (std::int64_t n = domain_low; n <= domain_high; ++n) values.emplace_back(n);
  return values;
}

const std::vector<FactValue>& domain(std::string_view fact) {
  static const std::vector<FactValue> of_words = make_domain("w");
  static const std::vector<FactValue> of_numbers = make_domain("n");
  return fact == "w" ? of_words : of_numbers;
}

/// The values of a fact that a rule lets pass, one bit a value of the domain.
std::vector<bool> passing(const Rule& rule, std::string_view fact) {
  std::vector<bool> bits;
  for (const FactValue& value : domain(fact)) {
    bits.push_back(
        std::ranges::all_of(rule.when, [&](const RuleTest& test) { return test.fact != fact || holds(test, value); }));
  }
  return bits;
}

bool empty_by_trial(const Rule& rule) {
  return std::ranges::any_of(std::array{"n", "m", "w"}, [&](const char* fact) {
    return std::ranges::none_of(passing(rule, fact), [](bool bit) { return bit; });
  });
}

bool shadows_by_trial(const Rule& earlier, const Rule& later) {
  return std::ranges::all_of(std::array{"n", "m", "w"}, [&](const char* fact) {
    const std::vector<bool> outer = passing(earlier, fact);
    const std::vector<bool> inner = passing(later, fact);
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (inner[i] && !outer[i]) return false;
    }
    return true;
  });
}

bool contradicts_itself(const Rule& rule) {
  return std::ranges::any_of(std::array{"n", "m", "w"}, [&](const char* fact) {
    std::vector<RuleTest> tests;
    for (const RuleTest& test : rule.when) {
      if (test.fact == fact) tests.push_back(test);
    }
    return contradicts(tests);
  });
}

std::string text_of(const Rule& rule) {
  std::string text = "{";
  for (const RuleTest& test : rule.when) text += " " + test.fact + " " + to_string(test) + ";";
  return text + " }";
}

TEST(RuleShadowing, VerdictsOnRandomRulesAreThoseOfTrial) {
  int shadowed = 0;
  int contradictory = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    RandomRules random(seed);
    const Rule earlier = random.rule();
    const Rule later = random.rule();
    ASSERT_EQ(contradicts_itself(later), empty_by_trial(later)) << "seed " << seed << ": " << text_of(later);
    if (contradicts_itself(later)) {
      ++contradictory;
      continue;
    }
    const bool verdict = shadows(earlier, later);
    ASSERT_EQ(verdict, shadows_by_trial(earlier, later))
        << "seed " << seed << ": " << text_of(earlier) << " before " << text_of(later);
    shadowed += verdict ? 1 : 0;
  }
  EXPECT_GT(shadowed, 100) << "the random rules must reach both verdicts";
  EXPECT_GT(contradictory, 50);
}

RuleTest number(Operator op, std::vector<std::int64_t> operands) {
  return {"n", op, std::vector<FactValue>(operands.begin(), operands.end())};
}

TEST(RuleShadowing, TheEndsOfTheNumbersAreReasonedAboutExactly) {
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int64_t>::max();
  const auto all = [](std::initializer_list<RuleTest> tests) { return std::vector<RuleTest>(tests); };
  EXPECT_TRUE(implies({}, number(Operator::at_least, {low})));
  EXPECT_TRUE(implies({}, number(Operator::at_most, {high})));
  EXPECT_FALSE(implies({}, number(Operator::less_than, {high})));
  EXPECT_TRUE(implies(all({number(Operator::none_of, {low})}), number(Operator::more_than, {low})));
  EXPECT_TRUE(implies(all({number(Operator::multiple_of, {2})}), number(Operator::less_than, {high})));
  EXPECT_TRUE(contradicts(all({number(Operator::at_least, {high}), number(Operator::multiple_of, {2})})));
  EXPECT_FALSE(contradicts(all({number(Operator::at_most, {low}), number(Operator::multiple_of, {2})})));
  EXPECT_TRUE(contradicts(all({number(Operator::at_most, {low}), number(Operator::none_of, {low})})));
  // Two moduli without a common multiple among 64-bit numbers leave only 0.
  const auto huge = all({number(Operator::multiple_of, {high}), number(Operator::multiple_of, {high - 1})});
  EXPECT_TRUE(implies(huge, number(Operator::equal, {0})));
  EXPECT_FALSE(implies(huge, number(Operator::more_than, {0})));
  // A large set is never taken for the list that it nearly is.
  EXPECT_FALSE(implies(all({number(Operator::at_least, {1})}), number(Operator::any_of, {1, 2, 3})));
}

TEST(RuleShadowing, SetsOfWordsNeedTheirWords) {
  const auto has = [](std::vector<std::string> wanted) {
    return RuleTest{"s", Operator::has, std::vector<FactValue>(wanted.begin(), wanted.end())};
  };
  const std::vector<RuleTest> both{has({"a"}), has({"b"})};
  EXPECT_TRUE(implies(both, has({"a", "b"})));
  EXPECT_FALSE(implies(both, has({"a", "c"})));
  EXPECT_FALSE(implies({}, has({"a"})));
  EXPECT_FALSE(contradicts(both));
}

}  // namespace
}  // namespace weft
