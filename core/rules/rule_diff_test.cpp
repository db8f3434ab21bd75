// Differences of tables as people read them.
#include "core/rules/rule_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/backend.hpp"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = RuleChange::Kind;

RuleVocabulary words() { return {example_call_facts("quant_matmul"), {"rows", "tile"}, false}; }

RuleTable table(const std::string& rules) {
  auto parsed = RuleTable::parse(R"({"schema": 1, "op": "quant_matmul", "rules": [)" + rules + "]}", "test", words());
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? std::move(*parsed) : RuleTable();
}

const std::string decode = R"({"when": {"tokens": {"at_most": 1}}, "use": "rows", "with": {"ROWS": 2}, "why": "one"})";
const std::string many = R"({"when": {"tokens": {"at_least": 32}}, "use": "tile", "why": "many"})";
const std::string floor = R"({"when": {}, "use": "rows", "with": {"ROWS": 1}, "why": "the floor"})";

RuleDiff diff(const std::string& a, const std::string& b) { return diff_rules(table(a), table(b), words().facts); }

std::int64_t tokens_of(const DecisionChange& change) {
  return std::get<std::int64_t>(*change.example.value().find("tokens"));
}

TEST(RuleDiff, ATableIsItself) {
  EXPECT_TRUE(diff(decode + "," + many + "," + floor, decode + "," + many + "," + floor).same());
}

TEST(RuleDiff, AnAddedRuleTakesCallsFromTheFloor) {
  const RuleDiff d = diff(decode + "," + floor, decode + "," + many + "," + floor);
  ASSERT_THAT(d.rules, SizeIs(1));
  EXPECT_EQ(d.rules[0].kind, Kind::added);
  EXPECT_EQ(d.rules[0].after, 1U);
  ASSERT_THAT(d.decisions, SizeIs(1));
  EXPECT_EQ(d.decisions[0].before, 1U);
  EXPECT_EQ(d.decisions[0].after, 1U);
  EXPECT_GE(tokens_of(d.decisions[0]), 32);
  EXPECT_THAT(d.facts, ElementsAre("tokens"));
}

TEST(RuleDiff, AMoveThatDecidesNothingIsStillAMove) {
  const RuleDiff d = diff(decode + "," + many + "," + floor, many + "," + decode + "," + floor);
  ASSERT_THAT(d.rules, SizeIs(1));
  EXPECT_EQ(d.rules[0].kind, Kind::moved);
  EXPECT_THAT(d.decisions, IsEmpty()) << "the rules exclude each other";
  EXPECT_FALSE(d.same());
}

TEST(RuleDiff, AChangedParameterIsOneChangeAndOneRegion) {
  const std::string other =
      R"({"when": {"tokens": {"at_most": 1}}, "use": "rows", "with": {"ROWS": 4}, "why": "measured"})";
  const RuleDiff d = diff(decode + "," + floor, other + "," + floor);
  ASSERT_THAT(d.rules, SizeIs(1));
  EXPECT_EQ(d.rules[0].kind, Kind::changed);
  EXPECT_THAT(d.rules[0].details, ElementsAre("with ROWS: 2 -> 4", "why: one -> measured"));
  ASSERT_THAT(d.decisions, SizeIs(1));
  EXPECT_LE(tokens_of(d.decisions[0]), 1);
}

TEST(RuleDiff, ATestThatMovesItsBorderChangesOnlyWhatLiesBetween) {
  const std::string later = R"({"when": {"tokens": {"at_least": 40}}, "use": "tile", "why": "many"})";
  const RuleDiff d = diff(many + "," + floor, later + "," + floor);
  ASSERT_THAT(d.rules, SizeIs(1));
  EXPECT_THAT(d.rules[0].details, ElementsAre("when: tokens at_least 32 -> tokens at_least 40"));
  ASSERT_THAT(d.decisions, SizeIs(1));
  EXPECT_EQ(d.decisions[0].before, 0U);
  EXPECT_EQ(d.decisions[0].after, 1U);
  EXPECT_GE(tokens_of(d.decisions[0]), 32);
  EXPECT_LT(tokens_of(d.decisions[0]), 40);
}

TEST(RuleDiff, AReasonAloneIsAChangeWithoutADecision) {
  const std::string other = R"({"when": {}, "use": "rows", "with": {"ROWS": 1}, "why": "another reason"})";
  const RuleDiff d = diff(floor, other);
  EXPECT_THAT(d.rules, SizeIs(1));
  EXPECT_THAT(d.decisions, IsEmpty());
  EXPECT_FALSE(d.same());
}

TEST(RuleTables, ARuleThatOthersShadowTogetherIsRefused) {
  const std::string text = R"({"schema": 1, "op": "quant_matmul", "rules": [
      {"when": {"tokens": {"at_most": 8}}, "use": "rows", "why": "few"},
      {"when": {"tokens": {"at_least": 9}}, "use": "tile", "why": "many"},
      {"when": {"weight": "q4_0"}, "use": "rows", "why": "never"},
      {"when": {}, "use": "rows", "why": "the floor"}]})";
  const auto parsed = RuleTable::parse(text, "test", words());
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message, testing::HasSubstr("rule 3: shadowed by the rules before it"));
}

}  // namespace
}  // namespace weft
