// A backend's tables: embedded files, overrides, and the selections that come of them.
#include "core/rules/rule_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view add_rules = R"({"schema": 1, "op": "add", "floor": "none", "rules": [
  {"when": {"tokens": 1, "type": "f32"}, "use": "wide", "with": {"N": 4}, "activations": "int8", "why": "one row"},
  {"when": {"tokens": {"at_most": 8}}, "use": "wide", "with": {"N": 4}, "activations": "int8", "why": "few rows"},
  {"when": {"tokens": {"at_most": 9}}, "use": "wide", "with": {"N": 8}, "deterministic": false, "why": "atomics"},
  {"when": {"type": "f32"}, "use": "any", "why": "every size"}]})";
constexpr std::string_view mul_rules = R"({"schema": 1, "op": "mul", "rules": [
  {"when": {}, "use": "any", "why": "the floor"}]})";

RuleVocabulary vocabulary(std::string_view op) {
  RuleVocabulary words;
  words.facts.set("tokens", 1).set("type", "f32");
  if (op == "add") words.choices = {"wide", "any"};
  if (op == "mul") words.choices = {"any"};
  return words;
}

Facts call(std::int64_t tokens, std::string_view type = "f32") {
  Facts facts;
  facts.set("tokens", tokens).set("type", type);
  return facts;
}

Result<RuleSet> make(std::vector<RuleOverride> overrides = {}) {
  const std::vector<EmbeddedFile> files{
      {"b/add/rules.json", add_rules}, {"b/add/add.cl", "void add();"}, {"b/mul/rules.json", mul_rules}};
  return RuleSet::make("b", files, overrides, vocabulary);
}

TEST(RuleSet, ReadsTheTablesAmongTheEmbeddedFiles) {
  const auto set = make();
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->tables().size(), 2U);
  ASSERT_NE(set->find("mul"), nullptr);
  EXPECT_EQ(set->find("mul")->source(), "b/mul/rules.json");
  EXPECT_EQ(set->find("sub"), nullptr);
}

TEST(RuleSet, SelectionSaysAllThatItsRuleSays) {
  const auto set = make();
  ASSERT_TRUE(set);
  const auto selection = set->select("add", call(5));
  ASSERT_TRUE(selection) << selection.error().message;
  EXPECT_EQ(selection->kernel, "b/add/wide");
  EXPECT_EQ(variant_of(selection->kernel), "wide");
  EXPECT_EQ(selection->with, (RuleParameters{{"N", 4}}));
  EXPECT_EQ(selection->rule, "b/add/rules.json#2");
  EXPECT_EQ(selection->why, "few rows");
  EXPECT_EQ(selection->activations, ActivationPrecision::int8);
  EXPECT_TRUE(selection->deterministic);
  ASSERT_EQ(selection->passed.size(), 1U);
  EXPECT_EQ(selection->passed[0].reason, "tokens is 5, wanted 1");
  const auto moving = set->select("add", call(9));
  ASSERT_TRUE(moving);
  EXPECT_FALSE(moving->deterministic);
  EXPECT_EQ(moving->activations, ActivationPrecision::full);
}

TEST(RuleSet, ACallThatNoRuleTakesListsWhatFailed) {
  const auto set = make();
  ASSERT_TRUE(set);
  const auto selection = set->select("add", call(10, "f16"));
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().code, ErrorCode::unsupported);
  EXPECT_THAT(selection.error().message,
              AllOf(HasSubstr("b/add/rules.json"), HasSubstr("#1 wide: tokens is 10, wanted 1"),
                    HasSubstr("#4 any: type is f16, wanted f32")));
  const auto absent = set->select("sub", call(1));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::unsupported);
  EXPECT_THAT(absent.error().message, HasSubstr("b has no kernel for sub"));
  EXPECT_TRUE(set->alternatives("sub", call(1)).empty());
}

TEST(RuleSet, AlternativesAreAllMatchesEachOnce) {
  const auto set = make();
  ASSERT_TRUE(set);
  const auto all = set->alternatives("add", call(1));
  ASSERT_EQ(all.size(), 3U);  // rule 2 selects the same as rule 1
  EXPECT_EQ(all[0].rule, "b/add/rules.json#1");
  EXPECT_EQ(all[1].rule, "b/add/rules.json#3");
  EXPECT_EQ(all[2].kernel, "b/add/any");
  EXPECT_TRUE(set->alternatives("add", call(10, "f16")).empty());
}

TEST(RuleSet, AnOverrideReplacesTheTableOfItsOpAndMayLeaveVariantsOut) {
  const auto set = make({{"mine.json", R"({"schema": 1, "op": "add", "rules": [
    {"when": {}, "use": "any", "why": "to compare"}]})"}});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->tables().size(), 2U);
  EXPECT_EQ(set->select("add", call(1)).value().rule, "mine.json#1");
  EXPECT_EQ(set->select("mul", call(1)).value().rule, "b/mul/rules.json#1");
}

TEST(RuleSet, RejectsWhatItCannotPlace) {
  const auto message = [](std::vector<RuleOverride> overrides) {
    const auto set = make(std::move(overrides));
    if (set) return std::string("accepted");
    EXPECT_EQ(set.error().code, ErrorCode::invalid_file);
    return set.error().message;
  };
  const std::string mul(mul_rules);
  EXPECT_THAT(message({{"x.json", R"({"schema": 1, "op": "sub", "rules": []})"}}),
              HasSubstr("x.json: the b backend has no table for \"sub\"; it has add, mul"));
  EXPECT_THAT(message({{"x.json", mul}, {"y.json", mul}}), HasSubstr("y.json: is a table for mul, but so is x.json"));
  EXPECT_THAT(message({{"x.json", "{"}}), HasSubstr("x.json: not valid JSON"));
  EXPECT_THAT(message({{"x.json", R"({"schema": 1, "op": "mul", "rules": []})"}}),
              HasSubstr("x.json: there is no rule"));
  const std::vector<EmbeddedFile> twice{{"a.json", mul_rules}, {"b.json", mul_rules}};
  const auto set = RuleSet::make("b", twice, {}, vocabulary);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().message, HasSubstr("b.json: is a table for mul, but so is a.json"));
}

}  // namespace
}  // namespace weft
