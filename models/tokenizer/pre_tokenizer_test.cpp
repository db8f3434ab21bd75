// Pre-tokenizers: the documented pieces, any bytes, and no text that costs more than a few steps a byte.
#include "models/tokenizer/pre_tokenizer.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <random>

#include "models/tokenizer/pre_patterns.hpp"
#include "models/tokenizer/small_stack.hpp"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Pieces = std::vector<std::string>;

Result<Pieces> pieces_of(std::string_view pre, std::string_view text, MatchEngine engine = {}) {
  const auto pre_tokenizer = PreTokenizer::make(pre, engine);
  if (!pre_tokenizer) return error_of(pre_tokenizer);
  PreTokenizer::Scratch scratch;
  std::vector<std::string_view> views;
  if (const Status status = pre_tokenizer->split(text, scratch, views); !status) return error_of(status);
  return Pieces(views.begin(), views.end());
}

Pieces split(std::string_view pre, std::string_view text) {
  auto pieces = pieces_of(pre, text);
  EXPECT_TRUE(pieces) << pieces.error().message;
  return pieces.value_or(Pieces{});
}

std::string joined(const Pieces& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  return text;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const PreFamily& family : pre_families()) names.insert(names.end(), family.names.begin(), family.names.end());
  return names;
}

/// Processor time, so that a busy machine is no failure.
double cpu_seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

TEST(PreTokenizer, FamiliesCutAsDocumented) {
  EXPECT_THAT(split("gpt-2", "Hello world's  2024 x\n\ny"),
              ElementsAre("Hello", " world", "'s", " ", " 2024", " x", "\n", "\n", "y"));
  EXPECT_THAT(split("smollm", "a 123 b"), ElementsAre("a", " ", "1", "2", "3", " b"));
  EXPECT_THAT(split("llama-bpe", "I'M 12345,\r\n\r\n  ok"),
              ElementsAre("I", "'M", " ", "123", "45", ",\r\n\r\n", " ", " ok"));
  EXPECT_THAT(split("qwen2", "x=123 \n \n z"), ElementsAre("x", "=", "1", "2", "3", " \n \n", " z"));
  EXPECT_THAT(split("qwen2", "e\u0301a"), ElementsAre("e", "\u0301a"));
  EXPECT_THAT(split("qwen35", "e\u0301a"), ElementsAre("e\u0301a"));
  EXPECT_THAT(split("gpt-4o", "camelCaseHTTPServer's a/b/\n"),
              ElementsAre("camel", "Case", "HTTPServer's", " a", "/b", "/\n"));
  EXPECT_THAT(split("tekken", "It's 42"), ElementsAre("It", "'s", " ", "4", "2"));
  EXPECT_THAT(split("deepseek-v3", "1234 你好x +a_b"), ElementsAre("123", "4", " ", "你好", "x", " +", "a", "_b"));
  EXPECT_THAT(split("deepseek-coder", "a b\n 12"), ElementsAre("a", " b", "\n", " ", "1", "2"));
  EXPECT_THAT(split("deepseek-llm", "ab 12  "), ElementsAre("ab", " ", "12", "  "));
  EXPECT_THAT(split("falcon", "a+b 12345"), ElementsAre("a", "+", "b", " ", "123", "45"));
  EXPECT_THAT(split("default", "12345!"), ElementsAre("123", "45", "!"));
  EXPECT_THAT(split("bloom", "a b, c"), ElementsAre("a", " b", ",", " c"));
  EXPECT_THAT(split("viking", "a12"), ElementsAre("a", "1", "2"));
  EXPECT_THAT(split("seed-coder", "12!\n"), ElementsAre("1", "2", "!", "\n"));
}

TEST(PreTokenizer, WhiteSpaceIsUnicodes) {
  EXPECT_THAT(split("qwen2", "a\u3000\u3000b"), ElementsAre("a", "\u3000", "\u3000b"));
  EXPECT_THAT(split("gpt-2", "!\u180E!"), ElementsAre("!\u180E!"));  // not White_Space since Unicode 6.3
  EXPECT_THAT(split("gpt-2", "!\u0085!"), ElementsAre("!", "\u0085", "!"));
}

TEST(PreTokenizer, FlagsAreTheFamilys) {
  EXPECT_TRUE(PreTokenizer::make("llama-bpe")->ignores_merges());
  EXPECT_TRUE(PreTokenizer::make("tekken")->ignores_merges());
  EXPECT_FALSE(PreTokenizer::make("smaug-bpe")->ignores_merges());
  EXPECT_FALSE(PreTokenizer::make("qwen2")->ignores_merges());
}

TEST(PreTokenizer, UnknownNameIsUnsupported) {
  for (const std::string_view name : {"", "no-such", "gpt", "qwen22"}) {
    const auto made = PreTokenizer::make(name);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::unsupported);
    EXPECT_THAT(made.error().message, HasSubstr(fmt::format("\"{}\"", name)));
  }
}

TEST(PreTokenizer, EveryNameIsThereOnce) {
  auto names = all_names();
  EXPECT_GT(names.size(), 50U);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  for (const std::string_view name : names) EXPECT_TRUE(PreTokenizer::make(name)) << name;
}

TEST(PreTokenizer, BrokenBytesArePiecesOfTheirOwn) {
  using namespace std::string_literals;
  EXPECT_THAT(split("gpt-2", "ab\xFF\xFE cd"), ElementsAre("ab", "\xFF\xFE", " cd"));
  EXPECT_THAT(split("qwen2", "\xE4\xBD"), ElementsAre("\xE4\xBD"));
  EXPECT_THAT(split("qwen2", "x\xED\xA0\x80y"), ElementsAre("x", "\xED\xA0\x80", "y"));  // a surrogate
  EXPECT_THAT(split("deepseek-v3",
                    "1\xC0\x80"
                    "2"),
              ElementsAre("1", "\xC0\x80", "2"));  // overlong NUL
  EXPECT_THAT(split("gpt-2", "ab\0cd"s), ElementsAre("ab", "\0"s, "cd"));
}

TEST(PreTokenizer, PiecesAlwaysJoinToTheText) {
  std::mt19937 random(20261201);
  const std::vector<std::string> parts = {"a", "Z",      "é",      "你",   "ß",    "1",    "٣",
                                          " ", "  ",     "\n",     "\r\n", "\t",   "_",    "'s",
                                          "'", "\u0301", "\u3000", "…",    "\xFF", "\xE4", std::string(1, '\0'),
                                          "😀", "/",      "ǅ"};
  for (const std::string_view name : all_names()) {
    for (int round = 0; round < 40; ++round) {
      std::string text;
      for (std::size_t count = random() % 40; count > 0; --count) text += parts[random() % parts.size()];
      const auto jit = pieces_of(name, text);
      const auto interpreted = pieces_of(name, text, {.kind = MatchEngine::Kind::interpreter});
      ASSERT_TRUE(jit && interpreted) << name;
      ASSERT_EQ(joined(*jit), text) << name;
      ASSERT_EQ(*jit, *interpreted) << name;
      for (const std::string& piece : *jit) ASSERT_FALSE(piece.empty());
    }
  }
}

/// Runs and repeats that make careless patterns backtrack, start over or recurse.
std::vector<std::string> long_texts(std::size_t count) {
  std::vector<std::string> texts;
  for (const std::string unit : {"Z", "a", "_",  " ",  "\n", "\r\n", "\t",  "你",      "7",  "\u0301", "'",   "\u3000",
                                 "é", "😀", "Za", "Z1", " a", " 1",   "\n ", "a\u0301", "'s", "/\n",    "\xFF"}) {
    std::string text;
    text.reserve(unit.size() * count + 1);
    for (std::size_t i = 0; i < count; ++i) text += unit;
    texts.push_back(text);
    texts.push_back(text + "x");
    texts.push_back(text + "1");
  }
  return texts;
}

TEST(PreTokenizer, LongRunsCostAFewStepsAByteInBothEngines) {
  for (const PreFamily& family : pre_families()) {
    const std::string_view name = family.names.front();
    for (const std::string& text : long_texts(20000)) {
      const std::clock_t start = std::clock();
      const auto jit = pieces_of(name, text);
      const auto interpreted = pieces_of(name, text, {.kind = MatchEngine::Kind::interpreter});
      const double seconds = cpu_seconds_since(start);
      ASSERT_TRUE(jit) << name << ": " << jit.error().message;
      ASSERT_TRUE(interpreted) << name << ": " << interpreted.error().message;
      ASSERT_EQ(*jit, *interpreted) << name;
      EXPECT_EQ(joined(*jit), text);
      EXPECT_LT(seconds, 1.0) << name << " " << text.substr(0, 8);
    }
  }
}

TEST(PreTokenizer, BothEnginesNeedLittleStack) {
  for (const auto kind : {MatchEngine::Kind::jit, MatchEngine::Kind::interpreter}) {
    for (const PreFamily& family : pre_families()) {
      const std::string_view name = family.names.front();
      on_small_stack([&] {
        for (const std::string_view unit : {"Z", " ", "\n", "你", "_"}) {
          std::string text;
          for (int i = 0; i < 131072; ++i) text += unit;
          EXPECT_TRUE(pieces_of(name, text + "x", {.kind = kind})) << name << " " << unit;
        }
      });
    }
  }
}

TEST(PreTokenizer, AStepLimitIsAnErrorNotOtherPieces) {
  for (const auto kind : {MatchEngine::Kind::jit, MatchEngine::Kind::interpreter}) {
    const MatchEngine strict{.kind = kind, .fixed_steps = 1, .steps_per_byte = 0};
    const auto pieces = pieces_of("qwen2", std::string(5000, ' ') + "x", strict);
    ASSERT_FALSE(pieces);
    EXPECT_EQ(pieces.error().code, ErrorCode::internal);
    EXPECT_THAT(pieces.error().message, HasSubstr("qwen2"));
    EXPECT_THAT(pieces.error().message, HasSubstr("match limit"));
  }
}

}  // namespace
}  // namespace weft::models
