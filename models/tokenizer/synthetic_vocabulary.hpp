// Small vocabularies for tests: every byte a token, and whatever merges or scored pieces a case needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/tokenizer/byte_map.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

/// Token of byte b has id b; merge i ("left right", as bytes) makes token 256 + i.
inline Vocabulary byte_vocabulary(std::string pre, const std::vector<std::pair<std::string, std::string>>& merges) {
  Vocabulary vocabulary;
  vocabulary.model = "gpt2";
  vocabulary.pre = std::move(pre);
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.tokens.push_back(printable_of(std::string(1, static_cast<char>(byte))));
  }
  for (const auto& [left, right] : merges) {
    vocabulary.merges.push_back(printable_of(left) + " " + printable_of(right));
    vocabulary.tokens.push_back(printable_of(left + right));
  }
  vocabulary.types.assign(vocabulary.tokens.size(), TokenType::normal);
  return vocabulary;
}

inline TokenId add_token(Vocabulary& vocabulary, std::string text, TokenType type, float score = 0.0F) {
  vocabulary.tokens.push_back(std::move(text));
  vocabulary.types.push_back(type);
  if (vocabulary.model == "llama") vocabulary.scores.push_back(score);
  return static_cast<TokenId>(vocabulary.tokens.size() - 1);
}

/// <unk> 0, <s> 1, </s> 2, <0x00> 3 … <0xFF> 258, then `pieces` with scores -1, -2, …
inline Vocabulary spm_vocabulary(const std::vector<std::string>& pieces) {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.unknown = add_token(vocabulary, "<unk>", TokenType::unknown);
  vocabulary.bos = add_token(vocabulary, "<s>", TokenType::control);
  vocabulary.eos = add_token(vocabulary, "</s>", TokenType::control);
  for (int byte = 0; byte < 256; ++byte) add_token(vocabulary, fmt::format("<0x{:02X}>", byte), TokenType::byte);
  float score = 0.0F;
  for (const std::string& piece : pieces) add_token(vocabulary, piece, TokenType::normal, --score);
  return vocabulary;
}

}  // namespace weft::models
