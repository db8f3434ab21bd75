// The vocabulary of a GGUF file: tokenizer.ggml.*, checked, with the defaults that each tokenizer model has.
#include <fmt/format.h>

#include "models/io/gguf.hpp"
#include "models/io/printable.hpp"
#include "models/tokenizer/pre_patterns.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {
namespace {

constexpr std::int64_t last_type = static_cast<std::int64_t>(TokenType::byte);

std::string name_of(const GgufFile& file) { return printable(file.path().string(), 400); }

/// What a missing key means.
struct Defaults {
  std::optional<TokenId> bos, eos, unknown;
  bool add_bos = false;
  bool add_space_prefix = false;
};

Defaults defaults_of(const Vocabulary& vocabulary) {
  if (vocabulary.model == "llama") return {.bos = 1, .eos = 2, .unknown = 0, .add_bos = true, .add_space_prefix = true};
  if (vocabulary.model != "gpt2") return {};
  const PreFamily* family = pre_family(vocabulary.pre);
  return {.bos = 11, .eos = 11, .unknown = std::nullopt, .add_bos = family != nullptr && family->adds_bos};
}

Result<std::vector<std::string>> strings_of(const GgufFile& file, std::string_view key) {
  const auto texts = file.texts(key);
  if (!texts) return error_of(texts);
  if (!*texts) return fail(ErrorCode::invalid_file, "{}: no key {}, wanted an array of strings", name_of(file), key);
  return std::vector<std::string>((*texts)->begin(), (*texts)->end());
}

/// Any integer width will do; booleans and floats are refused.
Result<std::vector<TokenType>> types_of(const GgufFile& file, std::size_t tokens) {
  constexpr std::string_view key = "tokenizer.ggml.token_type";
  const GgufValue* value = file.find(key);
  if (value == nullptr) return std::vector<TokenType>(tokens, TokenType::normal);
  const auto* array = std::get_if<GgufArray>(value);
  const auto* numbers = array != nullptr ? std::get_if<std::vector<std::int64_t>>(array) : nullptr;
  if (numbers == nullptr) {
    return fail(ErrorCode::invalid_file, "{}: {} is no array of integers, wanted one integer a token", name_of(file),
                key);
  }
  std::vector<TokenType> types;
  types.reserve(numbers->size());
  for (const std::int64_t number : *numbers) {
    if (number < 0 || number > last_type) {
      return fail(ErrorCode::invalid_file, "{}: {} of token {} is {}, wanted 0 to {}", name_of(file), key, types.size(),
                  number, last_type);
    }
    types.push_back(static_cast<TokenType>(number));
  }
  return types;
}

Result<std::vector<float>> scores_of(const GgufFile& file) {
  constexpr std::string_view key = "tokenizer.ggml.scores";
  const auto numbers = file.numbers(key);
  if (!numbers) return error_of(numbers);
  if (!*numbers) return fail(ErrorCode::invalid_file, "{}: no key {}, wanted one score a token", name_of(file), key);
  return std::vector<float>((*numbers)->begin(), (*numbers)->end());
}

Status check_count(const GgufFile& file, std::string_view key, std::size_t found, std::size_t tokens) {
  if (found == tokens) return {};
  return fail(ErrorCode::invalid_file, "{}: {} has {} entries for {} tokens, wanted one each", name_of(file), key,
              found, tokens);
}

/// A default outside the vocabulary is dropped; a key outside it is dropped with a warning.
Status read_id(const GgufFile& file, std::string_view name, std::optional<TokenId> fallback, Vocabulary& vocabulary,
               std::optional<TokenId>& id) {
  const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
  const auto number = file.integer(key);
  if (!number) return error_of(number);
  const auto size = static_cast<std::int64_t>(vocabulary.tokens.size());
  const std::int64_t value = *number ? **number : fallback.value_or(-1);
  if (value >= 0 && value < size) {
    id = static_cast<TokenId>(value);
  } else if (*number) {
    vocabulary.warnings.push_back(
        fmt::format("{} is {}, outside the vocabulary of {} tokens: ignored", key, value, size));
  }
  return {};
}

Status read_ids(const GgufFile& file, const Defaults& defaults, Vocabulary& vocabulary) {
  struct Id {
    std::string_view name;
    std::optional<TokenId> fallback;
    std::optional<TokenId>& id;
  };
  const Id ids[] = {{"bos", defaults.bos, vocabulary.bos},
                    {"eos", defaults.eos, vocabulary.eos},
                    {"eot", std::nullopt, vocabulary.eot},
                    {"eom", std::nullopt, vocabulary.eom},
                    {"unknown", defaults.unknown, vocabulary.unknown},
                    {"padding", std::nullopt, vocabulary.padding}};
  for (const Id& id : ids) {
    if (Status status = read_id(file, id.name, id.fallback, vocabulary, id.id); !status) return status;
  }
  return {};
}

Status read_flags(const GgufFile& file, const Defaults& defaults, Vocabulary& vocabulary) {
  const auto add_bos = file.boolean("tokenizer.ggml.add_bos_token");
  if (!add_bos) return error_of(add_bos);
  const auto add_eos = file.boolean("tokenizer.ggml.add_eos_token");
  if (!add_eos) return error_of(add_eos);
  const auto prefix = file.boolean("tokenizer.ggml.add_space_prefix");
  if (!prefix) return error_of(prefix);
  vocabulary.add_bos = add_bos->value_or(defaults.add_bos);
  vocabulary.add_eos = add_eos->value_or(false);
  // Byte-level BPE has no prefix: its first word is a token of its own.
  vocabulary.add_space_prefix = vocabulary.model == "llama" && prefix->value_or(defaults.add_space_prefix);
  return {};
}

Status read_names(const GgufFile& file, Vocabulary& vocabulary) {
  auto model = file.required_text("tokenizer.ggml.model");
  if (!model) return error_of(model);
  vocabulary.model = std::move(*model);
  auto pre = file.text("tokenizer.ggml.pre");
  if (!pre) return error_of(pre);
  vocabulary.pre = pre->value_or("default");
  if (vocabulary.model == "gpt2" && vocabulary.pre == "default") {
    vocabulary.warnings.emplace_back(
        "tokenizer.ggml.pre is \"default\" or missing: tokens may differ from those the "
        "model was trained on");
  }
  return {};
}

Status read_tokens(const GgufFile& file, Vocabulary& vocabulary) {
  auto tokens = strings_of(file, "tokenizer.ggml.tokens");
  if (!tokens) return error_of(tokens);
  vocabulary.tokens = std::move(*tokens);
  if (vocabulary.tokens.empty()) {
    return fail(ErrorCode::invalid_file, "{}: tokenizer.ggml.tokens is empty", name_of(file));
  }
  auto types = types_of(file, vocabulary.tokens.size());
  if (!types) return error_of(types);
  vocabulary.types = std::move(*types);
  return check_count(file, "tokenizer.ggml.token_type", vocabulary.types.size(), vocabulary.tokens.size());
}

Status read_ranking(const GgufFile& file, Vocabulary& vocabulary) {
  if (vocabulary.model == "llama") {
    auto scores = scores_of(file);
    if (!scores) return error_of(scores);
    vocabulary.scores = std::move(*scores);
    return check_count(file, "tokenizer.ggml.scores", vocabulary.scores.size(), vocabulary.tokens.size());
  }
  if (vocabulary.model == "gpt2") {
    auto merges = strings_of(file, "tokenizer.ggml.merges");
    if (!merges) return error_of(merges);
    vocabulary.merges = std::move(*merges);
  }
  return {};
}

}  // namespace

Result<Vocabulary> vocabulary_from(const GgufFile& file) {
  Vocabulary vocabulary;
  if (const Status status = read_names(file, vocabulary); !status) return error_of(status);
  if (const Status status = read_tokens(file, vocabulary); !status) return error_of(status);
  if (const Status status = read_ranking(file, vocabulary); !status) return error_of(status);
  const Defaults defaults = defaults_of(vocabulary);
  if (const Status status = read_ids(file, defaults, vocabulary); !status) return error_of(status);
  if (const Status status = read_flags(file, defaults, vocabulary); !status) return error_of(status);
  return vocabulary;
}

}  // namespace weft::models
