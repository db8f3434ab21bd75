// Byte-level BPE ("gpt2"): pre-tokenized pieces, merged by rank over bytes.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "models/tokenizer/pre_tokenizer.hpp"
#include "models/tokenizer/tokenizer_base.hpp"

namespace weft::models {

/// Neighbours that a merge names are joined, lowest rank first, then leftmost. A symbol that is no token falls back to
/// its single bytes; a byte without a token is dropped (`vocabulary().warnings` names such bytes). Any bytes can be
/// encoded: what isn't UTF-8 is cut out before pre-tokenizing, each run of broken bytes a piece of its own.
class ByteBpeTokenizer final : public TokenizerBase {
 public:
  /// Errors: unsupported (pre-tokenizer unknown), invalid_file (a merge that isn't two parts).
  [[nodiscard]] static Result<std::unique_ptr<const Tokenizer>> make(Vocabulary vocabulary);

 protected:
  [[nodiscard]] Status encode_fragments(std::span<const Fragment> fragments, std::vector<TokenId>& ids) const override;
  [[nodiscard]] std::string text_of(TokenId id) const override;

 private:
  /// A token id, or for strings that only merges know, an id at or above the vocabulary's size.
  using Symbol = std::int32_t;
  struct Rule {
    std::uint32_t rank;
    Symbol result;
  };
  struct PairHash {
    std::size_t operator()(std::uint64_t pair) const noexcept;
  };
  class Run;

  ByteBpeTokenizer(Vocabulary vocabulary, PreTokenizer pre_tokenizer);
  Status load_merges();
  [[nodiscard]] Symbol intern(const std::string& printable);
  static std::uint64_t pair_of(Symbol left, Symbol right);

  PreTokenizer pre_tokenizer_;
  std::unordered_map<std::string, Symbol> symbols_;  ///< by printable spelling
  std::vector<std::string> extra_;                   ///< bytes of the symbols above the vocabulary's size
  std::unordered_map<std::uint64_t, Rule, PairHash> rules_;
  std::array<Symbol, 256> bytes_{};
};

/// What the loader should say about bytes that `vocabulary` can't spell; empty if there are none.
[[nodiscard]] std::string missing_bytes_warning(const Vocabulary& vocabulary);

}  // namespace weft::models
