// Rule tables: every operator, every rejection, first match, and what is said about rules passed over.
#include "core/rules/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace weft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

RuleVocabulary vocabulary() {
  RuleVocabulary words;
  words.facts.set("tokens", 1).set("k", 256).set("weight", "q4_0").set("device.features", std::vector<std::string>{});
  words.choices = {"fast", "any"};
  return words;
}

Facts call(std::int64_t tokens, std::string_view weight, std::vector<std::string> features = {}) {
  Facts facts;
  facts.set("tokens", tokens).set("k", 512).set("weight", weight).set("device.features", std::move(features));
  return facts;
}

std::string rule(std::string_view when, std::string_view use, std::string_view more = "") {
  return fmt::format(R"({{"when": {}, "use": "{}", "why": "because"{}}})", when, use, more);
}

/// A table of these rules and a floor.
std::string table(const std::vector<std::string>& rules) {
  std::string text = R"({"schema": 1, "op": "quant_matmul", "rules": [)";
  for (const std::string& r : rules) text += r + ",\n";
  return text + rule("{}", "any") + "]}";
}

Result<RuleTable> parse(const std::string& json) { return RuleTable::parse(json, "t.json", vocabulary()); }

std::string rejection(const std::string& json) {
  const auto parsed = parse(json);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, ErrorCode::invalid_file);
  EXPECT_THAT(parsed.error().message, testing::StartsWith("t.json: "));
  EXPECT_EQ(parsed.error().message.find('\n'), std::string::npos) << parsed.error().message;
  return parsed.error().message;
}

/// The choice for these facts by a table of one rule with this `when` and a floor.
std::string choice(std::string_view when, const Facts& facts) {
  const auto parsed = parse(table({rule(when, "fast")}));
  if (!parsed) return parsed.error().message;
  return parsed->rules()[parsed->match(facts).index.value()].use;
}

TEST(RuleOperators, NumbersAreTestedByEveryOperator) {
  struct Case {
    std::string when;
    std::int64_t in;
    std::int64_t out;
  };
  for (const Case& c : std::vector<Case>{{"5", 5, 4},
                                         {"[1, 7]", 7, 2},
                                         {R"({"not": 3})", 4, 3},
                                         {R"({"not": [3, 4]})", 5, 4},
                                         {R"({"at_least": 3})", 3, 2},
                                         {R"({"at_most": 3})", 3, 4},
                                         {R"({"less_than": 3})", 2, 3},
                                         {R"({"more_than": 3})", 4, 3},
                                         {R"({"multiple_of": 4})", 8, 6},
                                         {R"({"multiple_of": 4})", 0, 2},
                                         {R"({"at_least": 3, "less_than": 9, "multiple_of": 3})", 6, 9}}) {
    const std::string when = fmt::format(R"({{"tokens": {}}})", c.when);
    EXPECT_EQ(choice(when, call(c.in, "f16")), "fast") << when << " for " << c.in;
    EXPECT_EQ(choice(when, call(c.out, "f16")), "any") << when << " for " << c.out;
  }
}

TEST(RuleOperators, WordsAreTestedByEqualityListsAndPrefixes) {
  struct Case {
    std::string when;
    std::string in;
    std::string out;
  };
  for (const Case& c : std::vector<Case>{{R"("q4_0")", "q4_0", "q4_1"},
                                         {R"(["q4_0", "q4_1"])", "q4_1", "q8_0"},
                                         {R"({"not": "f16"})", "f32", "f16"},
                                         {R"({"not": ["f16", "f32"]})", "bf16", "f32"},
                                         {R"({"starts_with": "q4_"})", "q4_k", "q5_k"}}) {
    const std::string when = fmt::format(R"({{"weight": {}}})", c.when);
    EXPECT_EQ(choice(when, call(1, c.in)), "fast") << when << " for " << c.in;
    EXPECT_EQ(choice(when, call(1, c.out)), "any") << when << " for " << c.out;
  }
}

TEST(RuleOperators, SetsAreTestedForWhatTheyHave) {
  EXPECT_EQ(choice(R"({"device.features": {"has": "dot"}})", call(1, "f16", {"fp16", "dot"})), "fast");
  EXPECT_EQ(choice(R"({"device.features": {"has": "dot"}})", call(1, "f16", {"fp16", "dots"})), "any");
  EXPECT_EQ(choice(R"({"device.features": {"has": ["dot", "fp16"]}})", call(1, "f16", {"fp16", "dot"})), "fast");
  EXPECT_EQ(choice(R"({"device.features": {"has": ["dot", "fp16"]}})", call(1, "f16", {"dot"})), "any");
  EXPECT_EQ(choice(R"({"device.features": {"has": "dot"}})", call(1, "f16")), "any");
}

TEST(RuleMatch, FirstMatchWinsAndEveryRulePassedOverSaysWhy) {
  const auto parsed = parse(
      table({rule(R"({"tokens": {"at_most": 1}, "weight": "q4_0"})", "fast"), rule(R"({"tokens": [2, 3]})", "fast"),
             rule(R"({"weight": {"not": "q8_0"}})", "any"), rule(R"({"device.features": {"has": "dot"}})", "fast"),
             rule(R"({"tokens": {"at_least": 5}})", "fast")}));
  ASSERT_TRUE(parsed) << parsed.error().message;
  const Facts facts = call(5, "q8_0", {"fp16"});
  const RuleMatch match = parsed->match(facts);
  EXPECT_EQ(match.index, 4U);
  std::vector<std::string> reasons;
  for (const PassedRule& passed : match.passed) reasons.push_back(passed.reason);
  EXPECT_THAT(reasons, ElementsAre("tokens is 5, wanted at_most 1", "tokens is 5, wanted one of 2, 3",
                                   "weight is q8_0, wanted not q8_0", "device.features is {fp16}, wanted has dot"));
  EXPECT_EQ(match.passed[2].index, 2U);
  EXPECT_EQ(match.passed[2].use, "any");
  EXPECT_THAT(parsed->matching(facts), ElementsAre(4, 5));
  EXPECT_EQ(parsed->match(call(1, "q4_0")).index, 0U);
  EXPECT_TRUE(parsed->match(call(1, "q4_0")).passed.empty());
}

TEST(RuleMatch, ATableWithoutFloorMayMatchNothing) {
  const auto parsed = parse(R"({"schema": 1, "op": "o", "floor": "none", "rules": [
    {"when": {"tokens": 1}, "use": "fast", "why": "w"}, {"when": {"tokens": 2}, "use": "any", "why": "w"}]})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  const RuleMatch match = parsed->match(call(3, "f16"));
  EXPECT_FALSE(match.index.has_value());
  EXPECT_EQ(match.passed.size(), 2U);
  EXPECT_TRUE(parsed->matching(call(3, "f16")).empty());
}

TEST(RuleParse, KeepsAllThatARuleSays) {
  const auto parsed =
      parse(table({rule(R"({"k": 7})", "fast", R"(, "with": {"WG": 64, "shift": -1}, "activations": "int8",
             "deterministic": false)")}));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->op(), "quant_matmul");
  EXPECT_EQ(parsed->source(), "t.json");
  const Rule& first = parsed->rules()[0];
  EXPECT_EQ(first.with, (RuleParameters{{"WG", 64}, {"shift", -1}}));
  EXPECT_EQ(first.activations, "int8");
  EXPECT_FALSE(first.deterministic);
  EXPECT_EQ(first.why, "because");
  EXPECT_EQ(parsed->rules()[1].activations, "full");
  EXPECT_TRUE(parsed->rules()[1].deterministic);
}

TEST(RuleParse, ReadsTheOpOfATableWithoutCheckingTheRest) {
  EXPECT_EQ(rule_table_op(R"({"op": "rope", "rules": 5})", "x").value(), "rope");
  EXPECT_THAT(rule_table_op(R"({"rules": 5})", "x").error().message, HasSubstr("x: \"op\" is missing"));
  EXPECT_THAT(rule_table_op("[]", "x").error().message, HasSubstr("no JSON object"));
  EXPECT_THAT(rule_table_op("{", "x").error().message, HasSubstr("not valid JSON"));
}

TEST(RuleRejections, OfTheTable) {
  const std::string rules = R"("rules": [{"when": {}, "use": "any", "why": "w"}])";
  EXPECT_THAT(rejection("{\"schema\": 1,"), HasSubstr("not valid JSON"));
  EXPECT_THAT(rejection(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(rejection(std::string("{\"schema\": \"\xff\"}")), HasSubstr("not valid JSON"));
  EXPECT_THAT(rejection(table({}) + "x"), HasSubstr("not valid JSON"));
  EXPECT_THAT(rejection("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(rejection(std::string(10000, '[')), HasSubstr("nested deeper than 8"));
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o", "opp": 1, )" + rules + "}"), HasSubstr("unknown key \"opp\""));
  EXPECT_THAT(rejection(R"({"op": "o", )" + rules + "}"), HasSubstr("\"schema\" is missing"));
  EXPECT_THAT(rejection(R"({"schema": 2, "op": "o", )" + rules + "}"), HasSubstr("\"schema\" is 2; this program"));
  EXPECT_THAT(rejection(R"({"schema": 1, )" + rules + "}"), HasSubstr("\"op\" is missing"));
  EXPECT_THAT(rejection(R"({"schema": 1, "op": 3, )" + rules + "}"), HasSubstr("\"op\" is 3; it must be text"));
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o"})"), HasSubstr("\"rules\" is missing"));
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o", "rules": {}})"), HasSubstr("must be a list"));
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o", "rules": []})"), HasSubstr("there is no rule"));
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o", "floor": "x", )" + rules + "}"), HasSubstr("only be \"none\""));
}

TEST(RuleRejections, OfRepeatedKeys) {
  EXPECT_THAT(rejection(R"({"schema": 1, "schema": 1})"), HasSubstr("t.json: the key \"schema\" is repeated"));
  EXPECT_THAT(rejection(table({rule("{}", "any"), rule(R"({"k": 1, "k": 2})", "fast")})),
              HasSubstr("t.json: rule 2: the key \"k\" is repeated"));
  EXPECT_THAT(rejection(table({rule(R"({"k": {"not": 1, "not": 2}})", "fast")})),
              HasSubstr("rule 1: the key \"not\" is repeated"));
}

TEST(RuleRejections, OfARulesParts) {
  const auto second = [](std::string_view text) { return table({rule(R"({"k": 1})", "fast"), std::string(text)}); };
  EXPECT_THAT(rejection(second("7")), HasSubstr("t.json: rule 2: 7 is no object"));
  EXPECT_THAT(rejection(second(R"({"when": {}, "use": "any", "why": "w", "whit": {}})")),
              AllOf(HasSubstr("rule 2: unknown key \"whit\""), HasSubstr("known are when, use, with")));
  EXPECT_THAT(rejection(second(R"({"use": "any", "why": "w"})")), HasSubstr("rule 2: \"when\" is missing"));
  EXPECT_THAT(rejection(second(R"({"when": 1, "use": "any", "why": "w"})")), HasSubstr("must be an object of facts"));
  EXPECT_THAT(rejection(second(R"({"when": {"k": 2}, "why": "w"})")), HasSubstr("rule 2: \"use\" is missing"));
  EXPECT_THAT(rejection(second(R"({"when": {"k": 2}, "use": 4, "why": "w"})")), HasSubstr("\"use\" is 4"));
  EXPECT_THAT(rejection(second(R"({"when": {"k": 2}, "use": "slow", "why": "w"})")),
              HasSubstr("rule 2: there is no \"slow\" to use; known are fast, any"));
  EXPECT_THAT(rejection(second(R"({"when": {"k": 2}, "use": "any"})")), HasSubstr("\"why\" is missing"));
  EXPECT_THAT(rejection(second(R"({"when": {"k": 2}, "use": "any", "why": " \n"})")), HasSubstr("\"why\" is empty"));
  EXPECT_THAT(rejection(second(rule(R"({"k": 2})", "any", R"(, "with": 3)"))), HasSubstr("\"with\" is 3"));
  EXPECT_THAT(rejection(second(rule(R"({"k": 2})", "any", R"(, "with": {"WG": 1.5})"))),
              HasSubstr("parameter \"WG\" is 1.5; it must be a whole number"));
  EXPECT_THAT(rejection(second(rule(R"({"k": 2})", "any", R"(, "with": {"W G": 1})"))), HasSubstr("is no identifier"));
  EXPECT_THAT(rejection(second(rule(R"({"k": 2})", "any", R"(, "with": {"": 1})"))), HasSubstr("is no identifier"));
  EXPECT_THAT(rejection(second(rule(R"({"k": 2})", "any", R"(, "activations": "int4")"))),
              HasSubstr("\"activations\" is \"int4\""));
  EXPECT_THAT(rejection(second(rule(R"({"k": 2})", "any", R"(, "deterministic": 0)"))),
              HasSubstr("\"deterministic\" is 0"));
}

TEST(RuleRejections, OfTests) {
  const auto with = [](std::string_view when) { return rejection(table({rule(when, "fast")})); };
  EXPECT_THAT(with(R"({"tokns": 1})"), AllOf(HasSubstr("t.json: rule 1: unknown fact \"tokns\""),
                                             HasSubstr("known are tokens, k, weight, device.features")));
  EXPECT_THAT(with(R"({"tokens": {"atleast": 1}})"),
              AllOf(HasSubstr("rule 1: \"tokens\": unknown operator \"atleast\""), HasSubstr("use not, at_least")));
  EXPECT_THAT(with(R"({"tokens": "many"})"), HasSubstr("\"many\" where a whole number of 64 bits is wanted"));
  EXPECT_THAT(with(R"({"tokens": 1.5})"), HasSubstr("1.5 where a whole number"));
  EXPECT_THAT(with(R"({"tokens": 18446744073709551615})"), HasSubstr("where a whole number of 64 bits"));
  EXPECT_THAT(with(R"({"tokens": true})"), HasSubstr("true where a whole number"));
  EXPECT_THAT(with(R"({"tokens": null})"), HasSubstr("null where a whole number"));
  EXPECT_THAT(with(R"({"tokens": [1, "x"]})"), HasSubstr("\"x\" where a whole number"));
  EXPECT_THAT(with(R"({"tokens": [[1]]})"), HasSubstr("[1] where a whole number"));
  EXPECT_THAT(with(R"({"tokens": []})"), HasSubstr("an empty list"));
  EXPECT_THAT(with(R"({"tokens": {}})"), HasSubstr("an empty object tests nothing"));
  EXPECT_THAT(with(R"({"tokens": {"not": []}})"), HasSubstr("an empty list"));
  EXPECT_THAT(with(R"({"tokens": {"at_most": [1]}})"), HasSubstr("\"at_most\" takes one value"));
  EXPECT_THAT(with(R"({"tokens": {"multiple_of": 0}})"), HasSubstr("\"multiple_of\" is 0; it must be at least 1"));
  EXPECT_THAT(with(R"({"tokens": {"multiple_of": -2}})"), HasSubstr("must be at least 1"));
  EXPECT_THAT(with(R"({"weight": 4})"), HasSubstr("4 where a word is wanted"));
  EXPECT_THAT(with(R"({"weight": ""})"), HasSubstr("\"\" where a word is wanted"));
}

TEST(RuleRejections, OfOperatorsThatDontFitTheFact) {
  const auto with = [](std::string_view when) { return rejection(table({rule(when, "fast")})); };
  EXPECT_THAT(with(R"({"tokens": {"has": "x"}})"), HasSubstr("\"has\" doesn't fit a number"));
  EXPECT_THAT(with(R"({"tokens": {"starts_with": "x"}})"), HasSubstr("\"starts_with\" doesn't fit a number"));
  EXPECT_THAT(with(R"({"weight": {"has": "x"}})"), HasSubstr("\"has\" doesn't fit a word; use not, starts_with"));
  for (const char* op : {"at_least", "at_most", "less_than", "more_than", "multiple_of"}) {
    EXPECT_THAT(with(fmt::format(R"({{"weight": {{"{}": 1}}}})", op)), HasSubstr("doesn't fit a word")) << op;
    EXPECT_THAT(with(fmt::format(R"({{"device.features": {{"{}": 1}}}})", op)), HasSubstr("doesn't fit a set"));
  }
  EXPECT_THAT(with(R"({"device.features": "dot"})"), HasSubstr("\"dot\" doesn't fit a set of words; use has"));
  EXPECT_THAT(with(R"({"device.features": ["dot"]})"), HasSubstr("doesn't fit a set of words; use has"));
  EXPECT_THAT(with(R"({"device.features": {"not": "dot"}})"), HasSubstr("\"not\" doesn't fit a set of words"));
  EXPECT_THAT(with(R"({"device.features": {"has": 3}})"), HasSubstr("3 where a word is wanted"));
}

TEST(RuleRejections, OfRulesThatNeverMatch) {
  const auto with = [](std::string_view when) { return rejection(table({rule(when, "fast")})); };
  EXPECT_THAT(with(R"({"tokens": {"at_least": 3, "less_than": 3}})"),
              HasSubstr("t.json: rule 1: can never match: no tokens is"));
  EXPECT_THAT(with(R"({"tokens": {"at_least": 5, "at_most": 7, "multiple_of": 4}})"), HasSubstr("can never match"));
  EXPECT_THAT(with(R"({"tokens": {"at_least": 5, "at_most": 6, "not": [5, 6]}})"), HasSubstr("can never match"));
  EXPECT_THAT(with(R"({"tokens": {"more_than": 9223372036854775807}})"), HasSubstr("can never match"));
  EXPECT_THAT(with(R"({"tokens": {"less_than": -9223372036854775808}})"), HasSubstr("can never match"));
  EXPECT_THAT(with(R"({"weight": {"starts_with": "q4_0", "not": "q4_0"}})"), testing::StrEq("accepted"));
}

TEST(RuleRejections, OfShadowedRules) {
  const auto two = [](std::string_view a, std::string_view b) {
    return rejection(table({rule(a, "fast"), rule(b, "any")}));
  };
  const auto shadowed = HasSubstr("t.json: rule 2: shadowed by rule 1");
  EXPECT_THAT(two("{}", R"({"k": 3})"), shadowed);
  EXPECT_THAT(two(R"({"k": 3})", R"({"k": 3})"), shadowed);
  EXPECT_THAT(two(R"({"k": {"at_least": 2}})", R"({"k": {"more_than": 2}, "tokens": 1})"), shadowed);
  EXPECT_THAT(two(R"({"k": {"multiple_of": 4}})", R"({"k": {"multiple_of": 8}})"), shadowed);
  EXPECT_THAT(two(R"({"k": {"not": 7}})", R"({"k": {"multiple_of": 8}})"), shadowed);
  EXPECT_THAT(two(R"({"weight": {"starts_with": "q"}})", R"({"weight": ["q4_0", "q8_0"]})"), shadowed);
  EXPECT_THAT(two(R"({"device.features": {"has": "a"}})", R"({"device.features": {"has": ["b", "a"]}})"), shadowed);
  EXPECT_EQ(two(R"({"k": {"multiple_of": 8}})", R"({"k": {"multiple_of": 4}})"), "accepted");
  EXPECT_EQ(two(R"({"k": 3, "tokens": 1})", R"({"k": 3})"), "accepted");
  EXPECT_EQ(two(R"({"k": {"at_least": 2}})", R"({"k": {"at_least": 1}})"), "accepted");
  EXPECT_EQ(two(R"({"device.features": {"has": ["a", "b"]}})", R"({"device.features": {"has": "a"}})"), "accepted");
  EXPECT_THAT(rejection(table({rule("{}", "fast")})), HasSubstr("rule 2: shadowed by rule 1"));
}

TEST(RuleRejections, OfChoicesThatNoRuleUses) {
  const std::string text = table({});
  EXPECT_THAT(rejection(text), HasSubstr("t.json: no rule uses \"fast\"; add a rule"));
  RuleVocabulary words = vocabulary();
  words.every_choice_used = false;
  EXPECT_TRUE(RuleTable::parse(text, "t.json", words));
}

TEST(RuleRejections, OfAMissingOrContraryFloor) {
  const std::string open = rule(R"({"k": 1})", "any") + "," + rule(R"({"k": 2})", "fast") + "]}";
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o", "rules": [)" + open), HasSubstr("the last rule must be a floor"));
  EXPECT_EQ(rejection(R"({"schema": 1, "op": "o", "floor": "none", "rules": [)" + open), "accepted");
  EXPECT_THAT(rejection(R"({"schema": 1, "op": "o", "floor": "none", "rules": [)" + rule("{\"k\": 1}", "fast") + "," +
                        rule("{}", "any") + "]}"),
              HasSubstr("rule 2: is a floor, but"));
}

TEST(RuleRejections, NoDamageOfATextEscapesAsACrash) {
  const std::string good = table({rule(R"({"k": {"not": [1, 2]}, "weight": "f16"})", "fast", R"(, "with": {"A": 1})")});
  ASSERT_EQ(rejection(good), "accepted");
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_NE(rejection(good.substr(0, length)), "accepted");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char byte : {'\0', '"', '{', '[', '9', '\x80'}) {
      std::string damaged = good;
      damaged[at] = byte;
      (void)rejection(damaged);
    }
  }
}

}  // namespace
}  // namespace weft
