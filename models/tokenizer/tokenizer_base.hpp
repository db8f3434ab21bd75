// What every tokenizer shares: the vocabulary, special tokens, the end-of-generation set, and decoding piece by piece.
#pragma once

#include "models/tokenizer/special_split.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

class TokenizerBase : public Tokenizer {
 public:
  explicit TokenizerBase(Vocabulary vocabulary);

  [[nodiscard]] const Vocabulary& vocabulary() const final { return vocabulary_; }
  [[nodiscard]] Result<std::vector<TokenId>> encode(std::string_view text, SpecialTokens special) const final;
  [[nodiscard]] std::string piece(TokenId id, SpecialTokens special) const final;
  [[nodiscard]] std::string decode(std::span<const TokenId> ids, SpecialTokens special) const final;
  [[nodiscard]] bool ends_generation(TokenId id) const final;
  [[nodiscard]] std::span<const TokenId> end_of_generation() const final { return end_of_generation_; }

 protected:
  /// Appends the ids of all fragments; a fragment's own token is its id.
  [[nodiscard]] virtual Status encode_fragments(std::span<const Fragment> fragments,
                                                std::vector<TokenId>& ids) const = 0;
  /// Bytes of a normal, undefined or byte token.
  [[nodiscard]] virtual std::string text_of(TokenId id) const = 0;

 private:
  Vocabulary vocabulary_;
  SpecialSplitter splitter_;
  std::vector<TokenId> end_of_generation_;
};

/// Drops the space that add_space_prefix put before the first word, from the first text of a sequence.
void strip_space_prefix(const Vocabulary& vocabulary, std::string& first_text);

/// True for tokens that stand for text in a user's input: not control, not unknown, not a byte's spelled-out name.
[[nodiscard]] bool is_text(TokenType type);

}  // namespace weft::models
