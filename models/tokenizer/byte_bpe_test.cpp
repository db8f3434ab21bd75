// Byte-level BPE: merges by rank, any bytes there and back, long runs on a small stack, bad vocabularies.
#include "models/tokenizer/byte_bpe.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <limits>
#include <map>
#include <random>

#include "models/tokenizer/small_stack.hpp"
#include "models/tokenizer/synthetic_vocabulary.hpp"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Ids = std::vector<TokenId>;
using Merges = std::vector<std::pair<std::string, std::string>>;

const Merges run_merges = {{"Z", "Z"},       {"ZZ", "ZZ"},         {"_", "_"},   {"__", "__"}, {"__", "_"},
                           {" ", " "},       {"  ", "  "},         {"\n", "\n"}, {"th", "e"},  {"t", "h"},
                           {"\xE4", "\xBD"}, {"\xE4\xBD", "\xA0"}, {"你", "你"}, {"a", "b"},   {"e", "r"},
                           {"q", "ab"},      {"ab", "er"},         {"z", "z"},   {"zz", "z"}};
const std::vector<std::string> run_pre_types = {"gpt-2",  "llama-bpe",   "qwen2", "qwen35",
                                                "gpt-4o", "deepseek-v3", "tekken"};

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

/// The definition, in O(n²): of all neighbours that a merge names, the lowest rank, then the leftmost, is joined.
Ids merged_naively(const std::string& piece, const Merges& merges) {
  std::map<std::pair<std::string, std::string>, std::size_t> ranks;
  for (std::size_t i = 0; i < merges.size(); ++i) ranks.try_emplace(merges[i], i);
  std::vector<std::string> symbols;
  for (const char c : piece) symbols.emplace_back(1, c);
  for (;;) {
    std::size_t best_rank = merges.size();
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = ranks.find({symbols[i], symbols[i + 1]});
      if (found == ranks.end() || found->second >= best_rank) continue;
      best_rank = found->second;
      best = i;
    }
    if (best_rank == merges.size()) break;
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  Ids ids;
  for (const std::string& symbol : symbols) {
    const auto merge =
        std::find_if(merges.begin(), merges.end(), [&](const auto& m) { return m.first + m.second == symbol; });
    ids.push_back(symbol.size() == 1 ? static_cast<unsigned char>(symbol[0])
                                     : static_cast<TokenId>(256 + (merge - merges.begin())));
  }
  return ids;
}

std::string repeated(std::string_view unit, std::size_t count) {
  std::string text;
  text.reserve(unit.size() * count);
  for (std::size_t i = 0; i < count; ++i) text += unit;
  return text;
}

std::string random_letters(std::size_t count) {
  std::mt19937 random(1);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('a' + random() % 26);
  return text;
}

/// Processor time, so that a busy machine is no failure.
double cpu_seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

double seconds_to_encode(const Tokenizer& tokenizer, const std::string& text) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < 2; ++round) {
    const std::clock_t start = std::clock();
    EXPECT_FALSE(encode(tokenizer, text).empty());
    best = std::min(best, cpu_seconds_since(start));
  }
  return best;
}

TEST(ByteBpe, MergesLowestRankFirstThenLeftmost) {
  const auto tokenizer = make(byte_vocabulary("gpt-2", {{"b", "c"}, {"a", "b"}, {"a", "bc"}}));
  EXPECT_THAT(encode(*tokenizer, "abc"), ElementsAre(258));
  EXPECT_THAT(encode(*tokenizer, "abab"), ElementsAre(257, 257));
  const auto leftmost = make(byte_vocabulary("gpt-2", {{"a", "a"}}));
  EXPECT_THAT(encode(*leftmost, "aaa"), ElementsAre(256, 'a'));
  EXPECT_THAT(encode(*leftmost, ""), IsEmpty());
}

TEST(ByteBpe, PiecesDontMergeAcrossBorders) {
  const auto tokenizer = make(byte_vocabulary("gpt-2", {{"a", " "}, {" ", "b"}}));
  EXPECT_THAT(encode(*tokenizer, "a b"), ElementsAre('a', 257));
}

TEST(ByteBpe, SymbolsThatAreNoTokensFallBackToTheirBytes) {
  Vocabulary vocabulary = byte_vocabulary("gpt-2", {});
  vocabulary.merges = {"a b", "ab c"};
  const TokenId abc = add_token(vocabulary, "abc", TokenType::normal);
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_THAT(encode(*tokenizer, "abc"), ElementsAre(abc));
  EXPECT_THAT(encode(*tokenizer, "abd"), ElementsAre('a', 'b', 'd'));
}

TEST(ByteBpe, WholePieceWinsOnlyWhereMergesAreIgnored) {
  for (const bool ignores : {true, false}) {
    Vocabulary vocabulary = byte_vocabulary(ignores ? "llama-bpe" : "smaug-bpe", {{"a", "b"}});
    const TokenId whole = add_token(vocabulary, "abc", TokenType::normal);
    const auto tokenizer = make(std::move(vocabulary));
    EXPECT_EQ(encode(*tokenizer, "abc"), ignores ? Ids{whole} : (Ids{256, 'c'}));
  }
}

TEST(ByteBpe, BytesWithoutATokenAreDroppedAndSaidSo) {
  Vocabulary vocabulary = byte_vocabulary("gpt-2", {});
  vocabulary.tokens[4] = "other";
  vocabulary.tokens[0xC0] = "another";
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_THAT(encode(*tokenizer,
                     "a\x04"
                     "b"),
              ElementsAre('a', 'b'));
  ASSERT_EQ(tokenizer->vocabulary().warnings.size(), 1U);
  EXPECT_THAT(tokenizer->vocabulary().warnings[0], HasSubstr(": 04 C0"));
}

TEST(ByteBpe, EveryByteStringComesBack) {
  std::mt19937 random(7);
  for (const std::string& pre : run_pre_types) {
    const auto tokenizer = make(byte_vocabulary(pre, run_merges));
    for (int round = 0; round < 50; ++round) {
      std::string text;
      for (std::size_t length = random() % 60; length > 0; --length) text += static_cast<char>(random());
      EXPECT_EQ(tokenizer->decode(encode(*tokenizer, text), SpecialTokens::as_text), text);
    }
  }
}

TEST(ByteBpe, NulIsAByteLikeAnyOther) {
  using namespace std::string_literals;
  const auto tokenizer = make(byte_vocabulary("gpt-2", {{"a", "b"}, {"c", "d"}}));
  const Ids ids = encode(*tokenizer, "ab\0cd"s);
  EXPECT_THAT(ids, ElementsAre(256, 0, 257));
  EXPECT_EQ(tokenizer->decode(ids, SpecialTokens::as_text), "ab\0cd"s);
}

TEST(ByteBpe, ATokenOfOneNulByteIsNotEmpty) {
  using namespace std::string_literals;
  Vocabulary vocabulary = byte_vocabulary("gpt-2", {});
  const TokenId nul = add_token(vocabulary, "\0"s, TokenType::user_defined);
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_THAT(encode(*tokenizer, "a\0b"s), ElementsAre('a', nul, 'b'));
  EXPECT_EQ(tokenizer->piece(nul, SpecialTokens::as_text), "\0"s);
}

TEST(ByteBpe, ControlTokensAreTextUnlessParsed) {
  Vocabulary vocabulary = byte_vocabulary("llama-bpe", {});
  const TokenId control = add_token(vocabulary, "abc", TokenType::control);
  const TokenId user = add_token(vocabulary, "<x>", TokenType::user_defined);
  const auto tokenizer = make(std::move(vocabulary));
  EXPECT_THAT(encode(*tokenizer, "abc<x>"), ElementsAre('a', 'b', 'c', user));
  EXPECT_THAT(encode(*tokenizer, "abc<x>", SpecialTokens::parsed), ElementsAre(control, user));
  EXPECT_EQ(tokenizer->piece(control, SpecialTokens::as_text), "");
  EXPECT_EQ(tokenizer->piece(control, SpecialTokens::parsed), "abc");
  EXPECT_EQ(tokenizer->piece(user, SpecialTokens::as_text), "<x>");
}

TEST(ByteBpe, RunsAreOnePieceOnASmallStack) {
  for (const std::string& pre : run_pre_types) {
    const auto tokenizer = make(byte_vocabulary(pre, run_merges));
    for (const std::string_view unit : {"Z", "_", " ", "\n", "你"}) {
      on_small_stack([&] {
        for (const std::size_t count : {1, 2, 3, 5, 7, 64, 1000}) {
          const std::string text = repeated(unit, count);
          EXPECT_EQ(encode(*tokenizer, text), merged_naively(text, run_merges)) << pre << " " << unit << " " << count;
        }
        const std::string text = repeated(unit, 131072);
        const std::clock_t start = std::clock();
        const Ids ids = encode(*tokenizer, text);
        EXPECT_LT(cpu_seconds_since(start), 2.0) << pre << " " << unit;
        EXPECT_EQ(tokenizer->decode(ids, SpecialTokens::as_text), text) << pre << " " << unit;
      });
    }
  }
}

TEST(ByteBpe, LettersMergeAsTheDefinitionSays) {
  const auto tokenizer = make(byte_vocabulary("qwen2", run_merges));
  const std::string text = random_letters(2000);
  EXPECT_EQ(encode(*tokenizer, text), merged_naively(text, run_merges));
}

TEST(ByteBpe, TimeGrowsWithTheTextNotWithItsSquare) {
  const std::string megabyte = random_letters(std::size_t{1} << 20);
  for (const std::string& pre : run_pre_types) {
    const auto tokenizer = make(byte_vocabulary(pre, run_merges));
    on_small_stack([&] {
      EXPECT_EQ(tokenizer->decode(encode(*tokenizer, megabyte), SpecialTokens::as_text), megabyte) << pre;
      const double quarter = seconds_to_encode(*tokenizer, megabyte.substr(0, megabyte.size() / 4));
      const double whole = seconds_to_encode(*tokenizer, megabyte);
      EXPECT_LT(whole / quarter, 11.0) << pre << ": " << quarter << " s, " << whole << " s";  // 16 if quadratic
    });
  }
}

TEST(ByteBpe, BadVocabulariesAreErrors) {
  const auto message = [](Vocabulary vocabulary) {
    const auto made = Tokenizer::make(std::move(vocabulary));
    return made ? std::string("no error") : made.error().message;
  };
  for (const std::string merge : {"ab", "", " ", "a", "a ", " b"}) {
    Vocabulary vocabulary = byte_vocabulary("gpt-2", {{"a", "b"}});
    vocabulary.merges.push_back(merge);
    EXPECT_THAT(message(vocabulary), HasSubstr("tokenizer.ggml.merges: entry 1")) << merge;
  }
  EXPECT_THAT(message(byte_vocabulary("no-such-pre", {})), HasSubstr("no-such-pre"));
  Vocabulary foreign = byte_vocabulary("gpt-2", {});
  foreign.model = "rwkv";
  EXPECT_THAT(message(foreign), HasSubstr("\"rwkv\""));
  Vocabulary types = byte_vocabulary("gpt-2", {});
  types.types.pop_back();
  EXPECT_THAT(message(types), HasSubstr("255 token types for 256 tokens"));
  Vocabulary far = byte_vocabulary("gpt-2", {});
  far.eos = 256;
  EXPECT_THAT(message(far), HasSubstr("eos token id is 256"));
  EXPECT_THAT(message(Vocabulary{}), HasSubstr("no tokens"));
}

}  // namespace
}  // namespace weft::models
