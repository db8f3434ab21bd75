// SentencePiece-BPE ("llama"): merges by score over UTF-8 characters, with byte fallback.
#pragma once

#include <array>
#include <unordered_map>

#include "models/tokenizer/tokenizer_base.hpp"

namespace weft::models {

/// Spaces are spelled U+2581. Neighbours whose joint text is a token merge, highest score first, then leftmost.
/// Control, unknown and byte tokens are never built from text; an unused token is built but emitted as its two halves.
/// Characters without a token become their bytes; a broken byte is a character.
class SpmTokenizer final : public TokenizerBase {
 public:
  /// Errors: invalid_file (scores missing or NaN, byte tokens incomplete without an unknown token).
  [[nodiscard]] static Result<std::unique_ptr<const Tokenizer>> make(Vocabulary vocabulary);
  explicit SpmTokenizer(Vocabulary vocabulary);

 protected:
  [[nodiscard]] Status encode_fragments(std::span<const Fragment> fragments, std::vector<TokenId>& ids) const override;
  [[nodiscard]] std::string text_of(TokenId id) const override;

 private:
  struct Span;
  class Run;

  [[nodiscard]] std::optional<TokenId> find(std::string_view text) const;
  void emit_bytes(std::string_view text, std::vector<TokenId>& ids) const;

  std::unordered_map<std::string_view, TokenId> by_text_;  ///< views the vocabulary's strings
  std::array<std::optional<TokenId>, 256> bytes_;
  std::size_t longest_ = 0;  ///< bytes of the longest token that text can become
};

}  // namespace weft::models
