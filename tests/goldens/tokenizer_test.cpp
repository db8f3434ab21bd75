// Tokenizers of real models against the goldens: strings to ids and back, prompts, chats, ends of generation.
#include "models/tokenizer/tokenizer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/io/gguf.hpp"

namespace weft::models {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* stems[] = {"SmolLM2-135M-Instruct.Q4_1", "gemma3-270m-q4_k_m",
                                 "qwen2.5-coder-0.5b-instruct-q4_k_m"};

fs::path golden_path(const std::string& folder, const std::string& stem) {
  return fs::path(WEFT_SOURCE_DIR) / "tests" / "goldens" / folder / (stem + ".json");
}

json golden(const std::string& folder, const std::string& stem) {
  return json::parse(std::ifstream(golden_path(folder, stem)));
}

class TokenizerGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const fs::path path = fs::path(WEFT_MODEL_DIR) / (std::string(GetParam()) + ".gguf");
    if (!fs::exists(path)) FAIL() << path << " is missing: run scripts/fetch-model --all";
    const auto file = GgufFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    auto vocabulary = vocabulary_from(**file);
    ASSERT_TRUE(vocabulary) << vocabulary.error().message;
    auto made = Tokenizer::make(std::move(*vocabulary));
    ASSERT_TRUE(made) << made.error().message;
    tokenizer_ = std::move(*made);
  }

  std::vector<TokenId> encode(const std::string& text, SpecialTokens special) const {
    const auto ids = tokenizer_->encode(text, special);
    EXPECT_TRUE(ids) << ids.error().message;
    return ids.value_or(std::vector<TokenId>{});
  }

  std::vector<TokenId> prompt(const json& golden) const {
    const bool parsed = golden.value("parse_special", false);
    return with_special(tokenizer_->vocabulary(),
                        encode(golden["text"], parsed ? SpecialTokens::parsed : SpecialTokens::as_text));
  }

  std::string streamed(const std::vector<TokenId>& ids, SpecialTokens special) const {
    Detokenizer detokenizer(*tokenizer_, special);
    std::string text;
    for (const TokenId id : ids) text += detokenizer.push(id);
    return text + detokenizer.finish();
  }

  std::unique_ptr<const Tokenizer> tokenizer_;
};

TEST_P(TokenizerGolden, StringsToIdsAndBack) {
  const json entries = golden("tokenizer", GetParam())["strings"];
  ASSERT_GT(entries.size(), 300U);
  for (const json& entry : entries) {
    SCOPED_TRACE(entry.dump());
    const std::vector<TokenId> ids = entry["ids"];
    const std::vector<TokenId> parsed = entry["ids_special"];
    const std::string decoded = entry["decoded"];
    EXPECT_EQ(encode(entry["text"], SpecialTokens::as_text), ids);
    EXPECT_EQ(encode(entry["text"], SpecialTokens::parsed), parsed);
    EXPECT_EQ(tokenizer_->decode(ids, SpecialTokens::as_text), decoded);
    EXPECT_EQ(streamed(ids, SpecialTokens::as_text), decoded);
    if (!entry.contains("decoded_special")) continue;
    EXPECT_EQ(tokenizer_->decode(parsed, SpecialTokens::parsed), entry["decoded_special"].get<std::string>());
    EXPECT_EQ(tokenizer_->decode(parsed, SpecialTokens::as_text), entry["decoded_plain"].get<std::string>());
  }
}

TEST_P(TokenizerGolden, Prompts) {
  const json prompts = golden("real", GetParam())["prompts"];
  ASSERT_EQ(prompts.size(), 8U);
  for (const json& entry : prompts) EXPECT_EQ(prompt(entry), entry["ids"].get<std::vector<TokenId>>()) << entry["name"];
}

TEST_P(TokenizerGolden, LongText) {
  std::ifstream file(golden_path("real", "text").replace_extension("txt"));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::vector<TokenId> wanted = golden("real", GetParam())["nll"][0]["ids"];
  std::vector<TokenId> ids = with_special(tokenizer_->vocabulary(), encode(text, SpecialTokens::as_text));
  ASSERT_GE(ids.size(), wanted.size());
  ids.resize(wanted.size());
  EXPECT_EQ(ids, wanted);
}

TEST_P(TokenizerGolden, ChatsThatTheTemplateRendered) {
  if (!fs::exists(golden_path("chat", GetParam()))) return;  // a base model has no chats
  std::size_t compared = 0;
  const json file = golden("chat", GetParam());
  for (const json& chat : file["conversations"]) {
    if (!chat.contains("ids")) continue;
    EXPECT_EQ(encode(chat["rendered"], SpecialTokens::parsed), chat["ids"].get<std::vector<TokenId>>()) << chat["name"];
    ++compared;
  }
  EXPECT_GT(compared, 3U);
}

TEST_P(TokenizerGolden, EndOfGeneration) {
  const std::vector<TokenId> wanted = golden("real", GetParam())["model"]["end_of_generation"];
  const auto ids = tokenizer_->end_of_generation();
  EXPECT_EQ(std::vector<TokenId>(ids.begin(), ids.end()), wanted);
}

TEST_P(TokenizerGolden, GreedyAnswersDecode) {
  const json prompts = golden("real", GetParam())["prompts"];
  for (const json& entry : prompts) {
    const std::vector<TokenId> ids = entry["greedy"]["ids"];
    EXPECT_EQ(streamed(ids, SpecialTokens::parsed), entry["greedy"]["text"].get<std::string>()) << entry["name"];
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TokenizerGolden, testing::ValuesIn(stems), [](const auto& model) {
  std::string name = model.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace weft::models
