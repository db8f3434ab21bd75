// Cutting a text at its special tokens: which take part, which wins, what remains.
#include "models/tokenizer/special_split.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "models/tokenizer/synthetic_vocabulary.hpp"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Vocabulary vocabulary() {
  Vocabulary v;
  add_token(v, "<a>", TokenType::control);
  add_token(v, "<a><b>", TokenType::user_defined);
  add_token(v, "<b>", TokenType::user_defined);
  add_token(v, "<u>", TokenType::unknown);
  add_token(v, "<n>", TokenType::normal);
  add_token(v, "", TokenType::control);
  add_token(v, "xx", TokenType::user_defined);
  add_token(v, "xxx", TokenType::user_defined);
  return v;
}

/// Fragments as "text" or "#id".
std::vector<std::string> split(std::string_view text, SpecialTokens special) {
  std::vector<std::string> out;
  for (const Fragment& fragment : SpecialSplitter(vocabulary()).split(text, special)) {
    out.push_back(fragment.token ? fmt::format("#{}", *fragment.token) : std::string(fragment.text));
  }
  return out;
}

TEST(SpecialSplit, UserDefinedAlwaysControlAndUnknownWhenParsed) {
  EXPECT_THAT(split("p<a>q<b>r<u><n>", SpecialTokens::as_text), ElementsAre("p<a>q", "#2", "r<u><n>"));
  EXPECT_THAT(split("p<a>q<b>r<u><n>", SpecialTokens::parsed), ElementsAre("p", "#0", "q", "#2", "r", "#3", "<n>"));
}

TEST(SpecialSplit, LongerTokensFirstThenLeftToRight) {
  EXPECT_THAT(split("<a><b><b>", SpecialTokens::parsed), ElementsAre("#1", "#2"));
  EXPECT_THAT(split("xxxxx", SpecialTokens::as_text), ElementsAre("#7", "#6"));
  EXPECT_THAT(split("xxxx", SpecialTokens::as_text), ElementsAre("#7", "x"));
  EXPECT_THAT(split("yxxy", SpecialTokens::as_text), ElementsAre("y", "#6", "y"));
}

TEST(SpecialSplit, NothingFromNothing) {
  EXPECT_THAT(split("", SpecialTokens::parsed), IsEmpty());
  EXPECT_THAT(split("<", SpecialTokens::parsed), ElementsAre("<"));
  EXPECT_THAT(split(std::string_view("\0", 1), SpecialTokens::parsed), ElementsAre(std::string(1, '\0')));
}

}  // namespace
}  // namespace weft::models
