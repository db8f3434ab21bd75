// Whether regions are found, and proved empty, as trying every value says.
#include "core/rules/region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/rules/predicate.hpp"

namespace weft {
namespace {

using Operator = RuleTest::Operator;

Facts examples() {
  Facts facts;
  facts.set("n", std::int64_t{1}).set("m", std::int64_t{7}).set("w", "a").set("phase", "decode");
  facts.set("s", std::vector<std::string>{});
  return facts;
}

RuleTest number_test(std::mt19937& random, const char* fact) {
  constexpr std::array operators{Operator::equal,   Operator::any_of,    Operator::none_of,    Operator::at_least,
                                 Operator::at_most, Operator::more_than, Operator::multiple_of};
  const Operator op = operators[random() % operators.size()];
  RuleTest test{fact, op, {}};
  const bool list = op == Operator::any_of || op == Operator::none_of;
  for (std::size_t i = list ? 1 + random() % 4 : 1; i > 0; --i) {
    test.operands.emplace_back(std::int64_t(op == Operator::multiple_of ? 2 + random() % 3 : random() % 7));
  }
  return test;
}

RuleTest word_test(std::mt19937& random, const char* fact, std::array<const char*, 2> words) {
  const Operator op = random() % 2 == 0 ? Operator::equal : Operator::none_of;
  return {fact, op, {std::string(words[random() % 2])}};
}

Rule random_rule(std::mt19937& random) {
  Rule rule;
  for (std::size_t i = 1 + random() % 3; i > 0; --i) {
    switch (random() % 5) {
      case 0: rule.when.push_back(number_test(random, "n")); break;
      case 1: rule.when.push_back(number_test(random, "m")); break;
      case 2: rule.when.push_back(word_test(random, "w", {"a", "ab"})); break;
      case 3: rule.when.push_back(word_test(random, "phase", {"decode", "prefill"})); break;
      default: rule.when.push_back({"s", Operator::has, {std::string(random() % 2 == 0 ? "x" : "y")}}); break;
    }
  }
  return rule;
}

bool matches(const Rule& rule, const Facts& facts) {
  return std::ranges::all_of(rule.when, [&](const RuleTest& test) { return holds(test, *facts.find(test.fact)); });
}

bool lies_in(const Region& region, const Facts& facts) {
  const auto match = [&](const Rule* rule) { return matches(*rule, facts); };
  return std::ranges::all_of(region.wanted, match) && std::ranges::none_of(region.avoided, match);
}

/// Operands lie in 0 to 6 and the divisors' common multiple is 12: nothing new happens beyond one period.
bool found_by_trial(const Region& region) {
  const std::vector<std::vector<std::string>> sets{{}, {"x"}, {"y"}, {"x", "y"}};
  Facts facts = examples();
  for (std::int64_t n = -13; n <= 20; ++n) {
    for (std::int64_t m = -13; m <= 20; ++m) {
      facts.set("n", n).set("m", m);
      for (const char* word : {"a", "ab", "c"}) {
        for (const char* phase : {"decode", "prefill"}) {
          for (const auto& set : sets) {
            if (lies_in(region, facts.set("w", word).set("phase", phase).set("s", set))) return true;
          }
        }
      }
    }
  }
  return false;
}

TEST(RegionFinder, FindsWhatTrialFindsAndProvesTheRestEmpty) {
  int empty = 0;
  for (std::uint32_t seed = 1; seed <= 120; ++seed) {
    std::mt19937 random(seed);
    std::vector<Rule> rules;
    for (int i = 0; i < 6; ++i) rules.push_back(random_rule(random));
    std::vector<const Rule*> all;
    for (const Rule& rule : rules) all.push_back(&rule);
    const Region region{{all.begin(), all.begin() + 1}, {all.begin() + 1, all.end()}};
    const RegionSearch search = RegionFinder(all, examples()).find(region);
    ASSERT_TRUE(search.decided) << "seed " << seed;
    ASSERT_EQ(search.example.has_value(), found_by_trial(region)) << "seed " << seed;
    if (search.example) ASSERT_TRUE(lies_in(region, *search.example)) << "seed " << seed;
    empty += search.example ? 0 : 1;
  }
  EXPECT_GT(empty, 10) << "the random rules must reach both verdicts";
  EXPECT_LT(empty, 110);
}

TEST(RegionFinder, KnowsThatPhasesAreTwo) {
  const Rule decode{.when = {{"phase", Operator::equal, {std::string("decode")}}}};
  const Rule prefill{.when = {{"phase", Operator::equal, {std::string("prefill")}}}};
  const Rule any;
  const std::vector<const Rule*> all{&decode, &prefill, &any};
  const RegionSearch search = RegionFinder(all, examples()).find({{&any}, {&decode, &prefill}});
  EXPECT_TRUE(search.decided);
  EXPECT_FALSE(search.example);
}

TEST(RegionFinder, SaysWhenItCannotDecide) {
  Rule all_of_them;
  for (int i = 0; i < 11; ++i) all_of_them.when.push_back({"s", Operator::has, {"word" + std::to_string(i)}});
  Rule first{.when = {all_of_them.when[0]}};
  const std::vector<const Rule*> rules{&all_of_them, &first};
  EXPECT_FALSE(RegionFinder(rules, examples()).find({{&all_of_them}, {&first}}).decided);
}

}  // namespace
}  // namespace weft
