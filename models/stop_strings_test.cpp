// Stop strings: across tokens, held back and flushed, overlapping, and the same however the stream is cut.
#include "models/stop_strings.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Strings = std::vector<std::string>;

StopMatcher make(const Strings& stops) {
  auto matcher = StopMatcher::make(stops);
  EXPECT_TRUE(matcher) << matcher.error().message;
  return *matcher;
}

/// All text of a stream, the end included, and whether it stopped.
StopStep streamed(const Strings& stops, const Strings& tokens) {
  StopMatcher matcher = make(stops);
  StopStep all;
  for (const std::string& token : tokens) {
    const StopStep step = matcher.push(token);
    all.text += step.text;
    if (step.stopped) return {all.text, true};
  }
  const StopStep end = matcher.finish();
  return {all.text + end.text, end.stopped};
}

TEST(StopStrings, A_OverSeveralTokens) {
  const StopStep out = streamed({"O P Q"}, {"L M N", " O", " P", " Q", " R"});
  EXPECT_EQ(out.text, "L M N ");
  EXPECT_TRUE(out.stopped);
}

TEST(StopStrings, B_InsideAToken) {
  const StopStep out = streamed({"\n"}, {"Mars", "?\n\n"});
  EXPECT_EQ(out.text, "Mars?");
  EXPECT_TRUE(out.stopped);
}

TEST(StopStrings, C_HeldTextComesOutWhenItCantMatch) {
  StopMatcher matcher = make({"<<<"});
  EXPECT_EQ(matcher.push("a <").text, "a ");
  EXPECT_EQ(matcher.push("<").text, "");
  EXPECT_EQ(matcher.push("b").text, "<<b");
  const StopStep end = matcher.finish();
  EXPECT_EQ(end.text, "");
  EXPECT_FALSE(end.stopped);
}

TEST(StopStrings, D_HeldTextIsFlushedAtTheEnd) {
  const StopStep out = streamed({"<<<"}, {"a <", "<"});
  EXPECT_EQ(out.text, "a <<");
  EXPECT_FALSE(out.stopped);
}

TEST(StopStrings, E_OneStopBeginsAnother) {
  const Strings tokens = {">>>>>>> UPD", "ATED\n"};
  const StopStep out = streamed({">>>>>>> UPDATED", ">>>>>>> UPDATED\n"}, tokens);
  EXPECT_EQ(out.text, "");
  EXPECT_TRUE(out.stopped);
  EXPECT_EQ(streamed({">>>>>>> UPDATED\n", ">>>>>>> UPDATED"}, tokens).text, "");
}

TEST(StopStrings, F_ACharacterSplitIntoItsBytes) {
  const StopStep out = streamed({"é"}, {"caf", "\xC3", "\xA9", "s"});
  EXPECT_EQ(out.text, "caf");
  EXPECT_TRUE(out.stopped);
  EXPECT_EQ(streamed({"é"}, {"caf", "\xC3", "\xA8"}).text, "cafè");
}

TEST(StopStrings, G_EmptyStopIsRefused) {
  const auto matcher = StopMatcher::make({"x", ""});
  ASSERT_FALSE(matcher);
  EXPECT_EQ(matcher.error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(matcher.error().message, HasSubstr("stop string 2 of 2 is empty"));
}

TEST(StopStrings, G_AThousandStops) {
  Strings stops;
  for (int i = 0; i < 1000; ++i) stops.push_back("stop" + std::to_string(i) + "!");
  const StopStep out = streamed(stops, {"a sto", "p99", "8", "! b"});
  EXPECT_EQ(out.text, "a ");
  EXPECT_TRUE(out.stopped);
  EXPECT_FALSE(streamed(stops, {"a sto", "p1998", "! b"}).stopped);
}

TEST(StopStrings, H_OnlyTheAnswerIsLookedAt) {
  const std::string prompt = "Say END";  // goes to the model, never to the matcher
  StopMatcher matcher = make({"END", prompt.substr(4) + "\n"});
  EXPECT_EQ(matcher.push("no stop here").text, "no stop here");
  EXPECT_FALSE(matcher.finish().stopped);
}

TEST(StopStrings, TheEarliestStartWinsEvenIfItCompletesLater) {
  EXPECT_EQ(streamed({"abcd", "bc"}, {"xabcd"}).text, "x");
  EXPECT_EQ(streamed({"abcd", "bc"}, {"xabc", "d"}).text, "x");
  EXPECT_EQ(streamed({"abcd", "bc"}, {"xabc", "e"}).text, "xa");
  const StopStep ended = streamed({"abcd", "bc"}, {"xabc"});
  EXPECT_EQ(ended.text, "xa");
  EXPECT_TRUE(ended.stopped);
}

TEST(StopStrings, NothingComesAfterAStopAndFinishStartsAnew) {
  StopMatcher matcher = make({"x"});
  EXPECT_TRUE(matcher.push("ax").stopped);
  EXPECT_TRUE(matcher.push("b").stopped);
  EXPECT_EQ(matcher.push("b").text, "");
  EXPECT_TRUE(matcher.finish().stopped);
  EXPECT_EQ(matcher.push("b").text, "b");
  EXPECT_FALSE(matcher.finish().stopped);
}

TEST(StopStrings, WithoutStopsTextPassesThrough) {
  StopMatcher matcher = make({});
  EXPECT_EQ(matcher.push("abc").text, "abc");
  EXPECT_EQ(matcher.push("").text, "");
}

TEST(StopStrings, AnyCutOfTheStreamGivesTheTextCutAtTheEarliestMatch) {
  std::mt19937 random(20261201);
  const auto word = [&](std::size_t longest) {
    std::string text;
    for (std::size_t length = 1 + random() % longest; length > 0; --length)
      text += static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 5000; ++round) {
    Strings stops;
    for (std::size_t count = 1 + random() % 3; count > 0; --count) stops.push_back(word(6));
    Strings tokens;
    std::string text;
    for (std::size_t count = random() % 8; count > 0; --count) text += tokens.emplace_back(word(4));
    std::size_t cut = std::string::npos;
    for (const std::string& stop : stops) cut = std::min(cut, text.find(stop));
    const StopStep out = streamed(stops, tokens);
    ASSERT_EQ(out.text, text.substr(0, cut)) << text << " round " << round;
    ASSERT_EQ(out.stopped, cut != std::string::npos) << text;
  }
}

}  // namespace
}  // namespace weft::models
