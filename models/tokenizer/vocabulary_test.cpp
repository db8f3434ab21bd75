// Vocabularies from GGUF files: every integer width, defaults, and one clear error line for each damage.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "models/io/gguf.hpp"
#include "models/io/gguf_writer.hpp"
#include "models/tokenizer/synthetic_vocabulary.hpp"

namespace weft::models {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class VocabularyFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() / fmt::format("weft-vocabulary-{}-{}.gguf", getpid(), test->name());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Result<Vocabulary> read(const GgufWriter& writer) {
    if (const Status status = writer.write(path_); !status) return error_of(status);
    const auto file = GgufFile::open(path_);
    if (!file) return error_of(file);
    return vocabulary_from(**file);
  }

  std::string error(const GgufWriter& writer) {
    const auto vocabulary = read(writer);
    if (vocabulary) return "no error";
    EXPECT_THAT(vocabulary.error().message, Not(HasSubstr("\n")));
    EXPECT_EQ(vocabulary.error().code, ErrorCode::invalid_file);
    return vocabulary.error().message;
  }

  std::filesystem::path path_;
};

constexpr std::size_t count = 20;

GgufWriter bpe_file() {
  GgufWriter writer;
  writer.set("general.architecture", std::string("llama"));
  writer.set("tokenizer.ggml.model", std::string("gpt2"));
  writer.set("tokenizer.ggml.pre", std::string("qwen2"));
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(std::string(1, static_cast<char>('a' + i)));
  writer.set("tokenizer.ggml.tokens", GgufStoredArray(tokens));
  writer.set("tokenizer.ggml.token_type", GgufStoredArray(std::vector<std::int32_t>(count, 1)));
  writer.set("tokenizer.ggml.merges", GgufStoredArray(std::vector<std::string>{"a b"}));
  return writer;
}

GgufWriter spm_file() {
  GgufWriter writer = bpe_file();
  writer.set("tokenizer.ggml.model", std::string("llama"));
  writer.set("tokenizer.ggml.scores", GgufStoredArray(std::vector<float>(count, -1.0F)));
  return writer;
}

template <class Integer>
GgufWriter with_types(GgufWriter writer) {
  std::vector<Integer> types(count, 1);
  types[3] = 3;
  writer.set("tokenizer.ggml.token_type", GgufStoredArray(types));
  return writer;
}

TEST_F(VocabularyFile, TypesOfEveryIntegerWidthAreTheSame) {
  for (const GgufWriter& writer : {with_types<std::uint8_t>(bpe_file()), with_types<std::int8_t>(bpe_file()),
                                   with_types<std::uint16_t>(bpe_file()), with_types<std::int16_t>(bpe_file()),
                                   with_types<std::uint32_t>(bpe_file()), with_types<std::int32_t>(bpe_file()),
                                   with_types<std::uint64_t>(bpe_file()), with_types<std::int64_t>(bpe_file())}) {
    const auto vocabulary = read(writer);
    ASSERT_TRUE(vocabulary) << vocabulary.error().message;
    EXPECT_EQ(vocabulary->types[3], TokenType::control);
    EXPECT_EQ(vocabulary->types[4], TokenType::normal);
    EXPECT_THAT(vocabulary->merges, ElementsAre("a b"));
    EXPECT_EQ(vocabulary->pre, "qwen2");
  }
}

TEST_F(VocabularyFile, TypesThatAreNoIntegersAreErrors) {
  const GgufStoredArray wrong[] = {std::vector<float>(count, 1.0F), std::vector<bool>(count, true),
                                   std::vector<std::string>(count, "1")};
  for (const GgufStoredArray& types : wrong) {
    GgufWriter writer = bpe_file();
    writer.set("tokenizer.ggml.token_type", types);
    EXPECT_THAT(error(writer), AllOf(HasSubstr("tokenizer.ggml.token_type"), HasSubstr("integer")));
  }
  GgufWriter scalar = bpe_file();
  scalar.set("tokenizer.ggml.token_type", std::int32_t{1});
  EXPECT_THAT(error(scalar), HasSubstr("tokenizer.ggml.token_type"));
  for (const std::int32_t type : {-1, 7}) {
    GgufWriter writer = bpe_file();
    std::vector<std::int32_t> types(count, 1);
    types[5] = type;
    writer.set("tokenizer.ggml.token_type", GgufStoredArray(types));
    EXPECT_THAT(error(writer), HasSubstr(fmt::format("of token 5 is {}, wanted 0 to 6", type)));
  }
}

TEST_F(VocabularyFile, ArraysOfOtherLengthsAreErrors) {
  GgufWriter scores = spm_file();
  scores.set("tokenizer.ggml.scores", GgufStoredArray(std::vector<float>(count - 1)));
  EXPECT_THAT(error(scores), HasSubstr("tokenizer.ggml.scores has 19 entries for 20 tokens"));
  GgufWriter types = bpe_file();
  types.set("tokenizer.ggml.token_type", GgufStoredArray(std::vector<std::int32_t>(count + 1, 1)));
  EXPECT_THAT(error(types), HasSubstr("tokenizer.ggml.token_type has 21 entries for 20 tokens"));
  GgufWriter none = bpe_file();
  none.set("tokenizer.ggml.tokens", GgufStoredArray(std::vector<std::string>{}));
  EXPECT_THAT(error(none), HasSubstr("tokenizer.ggml.tokens is empty"));
}

TEST_F(VocabularyFile, MissingKeysAreErrorsThatNameThem) {
  GgufWriter empty;
  empty.set("general.architecture", std::string("llama"));
  EXPECT_THAT(error(empty), HasSubstr("tokenizer.ggml.model"));
  empty.set("tokenizer.ggml.model", std::string("gpt2"));
  EXPECT_THAT(error(empty), HasSubstr("tokenizer.ggml.tokens"));
  empty.set("tokenizer.ggml.tokens", GgufStoredArray(std::vector<std::string>{"a"}));
  EXPECT_THAT(error(empty), HasSubstr("tokenizer.ggml.merges"));
  empty.set("tokenizer.ggml.model", std::string("llama"));
  EXPECT_THAT(error(empty), HasSubstr("tokenizer.ggml.scores"));
}

TEST_F(VocabularyFile, IdsOutsideTheVocabularyAreIgnoredWithAWarning) {
  GgufWriter writer = bpe_file();
  writer.set("tokenizer.ggml.eos_token_id", std::uint32_t{20});
  writer.set("tokenizer.ggml.eot_token_id", std::int32_t{-1});
  writer.set("tokenizer.ggml.bos_token_id", std::uint32_t{19});
  const auto vocabulary = read(writer);
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->eos, std::nullopt);
  EXPECT_EQ(vocabulary->eot, std::nullopt);
  EXPECT_EQ(vocabulary->bos, 19);
  EXPECT_THAT(vocabulary->warnings, ElementsAre(HasSubstr("eos_token_id is 20"), HasSubstr("eot_token_id is -1")));
}

TEST_F(VocabularyFile, MissingKeysMeanWhatTheModelSays) {
  const auto spm = read(spm_file());
  ASSERT_TRUE(spm);
  EXPECT_EQ(spm->bos, 1);
  EXPECT_EQ(spm->eos, 2);
  EXPECT_EQ(spm->unknown, 0);
  EXPECT_TRUE(spm->add_bos);
  EXPECT_FALSE(spm->add_eos);
  EXPECT_TRUE(spm->add_space_prefix);
  const auto bpe = read(bpe_file());
  ASSERT_TRUE(bpe);
  EXPECT_EQ(bpe->bos, 11);
  EXPECT_EQ(bpe->unknown, std::nullopt);
  EXPECT_FALSE(bpe->add_bos);
  EXPECT_FALSE(bpe->add_space_prefix);
  EXPECT_THAT(bpe->warnings, IsEmpty());
  GgufWriter llama3 = bpe_file();
  llama3.set("tokenizer.ggml.pre", std::string("llama-bpe"));
  EXPECT_TRUE(read(llama3)->add_bos);
  llama3.set("tokenizer.ggml.add_bos_token", false);
  EXPECT_FALSE(read(llama3)->add_bos);
}

TEST_F(VocabularyFile, ADefaultOutsideTheVocabularyIsDropped) {
  GgufWriter writer = bpe_file();
  writer.set("tokenizer.ggml.tokens", GgufStoredArray(std::vector<std::string>{"a", "b"}));
  writer.set("tokenizer.ggml.token_type", GgufStoredArray(std::vector<std::int32_t>{1, 1}));
  const auto vocabulary = read(writer);
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->bos, std::nullopt);
  EXPECT_THAT(vocabulary->warnings, IsEmpty());
}

TEST_F(VocabularyFile, TokensKeepTheirNulBytes) {
  using namespace std::string_literals;
  GgufWriter writer = bpe_file();
  writer.set("tokenizer.ggml.tokens", GgufStoredArray(std::vector<std::string>{"\0"s, "<0x00>", "a\0b"s}));
  writer.set("tokenizer.ggml.token_type", GgufStoredArray(std::vector<std::int32_t>{1, 6, 1}));
  const auto vocabulary = read(writer);
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_THAT(vocabulary->tokens, ElementsAre("\0"s, "<0x00>", "a\0b"s));
}

TEST_F(VocabularyFile, AMissingPreTokenizerIsWarnedOf) {
  GgufWriter writer = bpe_file();
  writer.set("tokenizer.ggml.pre", std::string("default"));
  EXPECT_THAT(read(writer)->warnings, ElementsAre(HasSubstr("tokenizer.ggml.pre")));
}

}  // namespace
}  // namespace weft::models
