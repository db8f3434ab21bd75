// Streaming: whole characters at every step, broken bytes made visible, prefix space stripped once.
#include <gmock/gmock.h>

#include <random>

#include "models/tokenizer/synthetic_vocabulary.hpp"
#include "models/tokenizer/utf8.hpp"

namespace weft::models {
namespace {

using testing::ElementsAre;

std::unique_ptr<const Tokenizer> bytes_only() { return std::move(*Tokenizer::make(byte_vocabulary("gpt-2", {}))); }

/// What each byte of `bytes`, pushed as a token, and the end give.
std::vector<std::string> steps(std::string_view bytes) {
  const auto tokenizer = bytes_only();
  Detokenizer detokenizer(*tokenizer);
  std::vector<std::string> out;
  for (const char c : bytes) out.push_back(detokenizer.push(static_cast<unsigned char>(c)));
  out.push_back(detokenizer.finish());
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (step.kind != Utf8Kind::valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

TEST(Detokenizer, HoldsBackUnfinishedCharacters) {
  EXPECT_THAT(steps("aé你😀"), ElementsAre("a", "", "é", "", "", "你", "", "", "", "😀", ""));
}

TEST(Detokenizer, BrokenBytesBecomeReplacements) {
  EXPECT_THAT(steps("\xFF"
                    "a"),
              ElementsAre("\uFFFD", "a", ""));
  EXPECT_THAT(steps("\xE4\xBD"
                    "a"),
              ElementsAre("", "", "\uFFFDa", ""));
  EXPECT_THAT(steps("\xE4\xBD"), ElementsAre("", "", "\uFFFD"));
  EXPECT_THAT(steps("\xC3\xC3\xA9"), ElementsAre("", "\uFFFD", "é", ""));
  EXPECT_THAT(steps("\xED\xA0\x80"), ElementsAre("", "\uFFFD\uFFFD", "\uFFFD", ""));
}

TEST(Detokenizer, EveryStepIsUtf8) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (std::size_t length = random() % 20; length > 0; --length) bytes += static_cast<char>(random());
    for (const std::string& step : steps(bytes)) EXPECT_TRUE(is_utf8(step));
  }
}

TEST(Detokenizer, StripsThePrefixSpaceOnceAndAgainAfterFinish) {
  Vocabulary vocabulary = spm_vocabulary({"▁", "a", "▁a"});
  vocabulary.add_space_prefix = true;
  const auto tokenizer = std::move(*Tokenizer::make(std::move(vocabulary)));
  Detokenizer detokenizer(*tokenizer);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(detokenizer.push(1), "");  // BOS
    EXPECT_EQ(detokenizer.push(261), "a");
    EXPECT_EQ(detokenizer.push(261), " a");
    EXPECT_EQ(detokenizer.finish(), "");
  }
}

TEST(WithSpecial, AddsWhatTheVocabularyAsksForOnce) {
  Vocabulary vocabulary = spm_vocabulary({});
  EXPECT_THAT(with_special(vocabulary, {7}), ElementsAre(7));
  vocabulary.add_bos = true;
  EXPECT_THAT(with_special(vocabulary, {7}), ElementsAre(1, 7));
  EXPECT_THAT(with_special(vocabulary, {1, 7}), ElementsAre(1, 7));
  EXPECT_THAT(with_special(vocabulary, {}), ElementsAre(1));
  vocabulary.add_eos = true;
  EXPECT_THAT(with_special(vocabulary, {7}), ElementsAre(1, 7, 2));
  vocabulary.bos.reset();
  EXPECT_THAT(with_special(vocabulary, {7}), ElementsAre(7, 2));
}

TEST(EndOfGeneration, IsASet) {
  Vocabulary vocabulary = byte_vocabulary("gpt-2", {});
  vocabulary.eos = 5;
  vocabulary.eot = 5;
  const TokenId end = add_token(vocabulary, "<|end|>", TokenType::control);
  const TokenId turn = add_token(vocabulary, "<end_of_turn>", TokenType::normal);
  const auto plain = std::move(*Tokenizer::make(vocabulary));
  EXPECT_THAT(plain->end_of_generation(), ElementsAre(5, end, turn));
  EXPECT_TRUE(plain->ends_generation(end));
  EXPECT_FALSE(plain->ends_generation(6));
  const TokenId returns = add_token(vocabulary, "<|return|>", TokenType::control);
  const TokenId call = add_token(vocabulary, "<|call|>", TokenType::control);
  const auto harmony = std::move(*Tokenizer::make(vocabulary));
  EXPECT_THAT(harmony->end_of_generation(), ElementsAre(5, turn, returns, call));
}

}  // namespace
}  // namespace weft::models
