// SentencePiece-BPE: merges by score, byte fallback, prefix space, unused pieces, long runs.
#include "models/tokenizer/spm.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <limits>
#include <random>

#include "models/tokenizer/small_stack.hpp"
#include "models/tokenizer/synthetic_vocabulary.hpp"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ids = std::vector<TokenId>;

constexpr TokenId byte_0 = 3;
constexpr TokenId first_piece = 259;

std::unique_ptr<const Tokenizer> make(Vocabulary vocabulary) {
  auto made = Tokenizer::make(std::move(vocabulary));
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::move(*made) : nullptr;
}

Ids encode(const Tokenizer& tokenizer, std::string_view text, SpecialTokens special = SpecialTokens::as_text) {
  const auto ids = tokenizer.encode(text, special);
  EXPECT_TRUE(ids) << ids.error().message;
  return ids.value_or(Ids{});
}

/// Processor time, so that a busy machine is no failure.
double cpu_seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

TEST(Spm, MergesHighestScoreFirstThenLeftmost) {
  const auto tokenizer = make(spm_vocabulary({"bc", "ab", "a", "b", "c", "aa"}));
  EXPECT_THAT(encode(*tokenizer, "abc"), ElementsAre(first_piece + 2, first_piece));
  EXPECT_THAT(encode(*tokenizer, "aaa"), ElementsAre(first_piece + 5, first_piece + 2));
  EXPECT_THAT(encode(*tokenizer, ""), IsEmpty());
}

TEST(Spm, UnknownCharactersBecomeBytes) {
  const auto tokenizer = make(spm_vocabulary({"a"}));
  EXPECT_THAT(encode(*tokenizer, "é"), ElementsAre(byte_0 + 0xC3, byte_0 + 0xA9));
  EXPECT_THAT(encode(*tokenizer,
                     "a\xFF"
                     "a"),
              ElementsAre(first_piece, byte_0 + 0xFF, first_piece));
}

TEST(Spm, AnyBytesComeBack) {
  using namespace std::string_literals;
  std::mt19937 random(3);
  for (const bool prefix : {false, true}) {
    Vocabulary vocabulary = spm_vocabulary({"▁", "a", "▁a", "é", "aa"});
    vocabulary.add_space_prefix = prefix;
    const auto tokenizer = make(std::move(vocabulary));
    EXPECT_EQ(tokenizer->decode(encode(*tokenizer, "a\0b"s), SpecialTokens::as_text), "a\0b"s);
    for (int round = 0; round < 100; ++round) {
      std::string text;
      for (std::size_t length = random() % 30; length > 0; --length) text += static_cast<char>(random());
      EXPECT_EQ(tokenizer->decode(encode(*tokenizer, text), SpecialTokens::as_text), text);
    }
  }
}

TEST(Spm, SpacePrefixStandsBeforeEachRawFragment) {
  Vocabulary vocabulary = spm_vocabulary({"▁", "a", "▁a"});
  vocabulary.add_space_prefix = true;
  const TokenId user = add_token(vocabulary, "<x>", TokenType::user_defined);
  const auto tokenizer = make(std::move(vocabulary));
  const Ids ids = encode(*tokenizer, "a<x>a a");
  EXPECT_THAT(ids, ElementsAre(first_piece + 2, user, first_piece + 2, first_piece + 2));
  EXPECT_EQ(tokenizer->decode(Ids{1, first_piece + 2, first_piece + 2}, SpecialTokens::as_text), "a a");
  EXPECT_EQ(tokenizer->decode(encode(*tokenizer, "  a"), SpecialTokens::as_text), "  a");
}

TEST(Spm, TextNeverBecomesControlOrByteTokens) {
  const auto tokenizer = make(spm_vocabulary({"<", "s", ">", "<s", "0x41>", "0x41", "0x", "41", "x4"}));
  for (const TokenId id : encode(*tokenizer, "<s><0x41><unk>")) {
    EXPECT_NE(id, 1);
    EXPECT_NE(id, 0);
    EXPECT_NE(id, byte_0 + 0x41);
  }
  EXPECT_THAT(encode(*tokenizer, "<s>", SpecialTokens::parsed), ElementsAre(1));
  EXPECT_EQ(tokenizer->decode(encode(*tokenizer, "<s><0x41>"), SpecialTokens::as_text), "<s><0x41>");
}

TEST(Spm, UnusedPiecesAreEmittedAsTheirHalves) {
  Vocabulary vocabulary = spm_vocabulary({"ab", "abc", "abcd", "a", "b", "c", "d"});
  vocabulary.types[first_piece] = TokenType::unused;
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_THAT(encode(*tokenizer, "ab"), ElementsAre(first_piece + 3, first_piece + 4));
  EXPECT_THAT(encode(*tokenizer, "abc"), ElementsAre(first_piece + 1));
}

TEST(Spm, ALongRunTakesLinearTimeAndComesBack) {
  const auto tokenizer = make(spm_vocabulary({"ZZ", "ZZZZ", "Z", "▁▁", "▁", "你", "你你"}));
  for (const std::string unit : {"Z", " ", "你", "q", "\n", "_"}) {
    on_small_stack([&] {
      std::string text;
      for (int i = 0; i < 131072; ++i) text += unit;
      const std::clock_t start = std::clock();
      const Ids ids = encode(*tokenizer, text);
      EXPECT_LT(cpu_seconds_since(start), 2.0) << unit;
      EXPECT_EQ(tokenizer->decode(ids, SpecialTokens::as_text), text) << unit;
    });
  }
  EXPECT_EQ(encode(*tokenizer, std::string(8, 'Z')), (Ids{first_piece + 1, first_piece + 1}));
}

TEST(Spm, BadVocabulariesAreErrors) {
  const auto message = [](Vocabulary vocabulary) {
    const auto made = Tokenizer::make(std::move(vocabulary));
    return made ? std::string("no error") : made.error().message;
  };
  Vocabulary scores = spm_vocabulary({"a"});
  scores.scores.pop_back();
  EXPECT_THAT(message(scores), HasSubstr("tokenizer.ggml.scores has 259 entries for 260 tokens"));
  Vocabulary nan = spm_vocabulary({"a"});
  nan.scores[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(nan), HasSubstr("entry 5 is NaN"));
  Vocabulary bytes = spm_vocabulary({"a"});
  bytes.tokens[byte_0 + 0x41] = "gone";
  EXPECT_EQ(message(bytes), "no error");
  bytes.unknown.reset();
  EXPECT_THAT(message(bytes), HasSubstr("<0x41>"));
}

TEST(Spm, WithoutItsByteATextIsUnknown) {
  Vocabulary vocabulary = spm_vocabulary({"a"});
  vocabulary.tokens[byte_0 + 'q'] = "gone";
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_THAT(encode(*tokenizer, "aq"), ElementsAre(first_piece, 0));
}

}  // namespace
}  // namespace weft::models
