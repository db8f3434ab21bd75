// Text to token ids and back: SentencePiece-BPE with scores, and byte-level BPE, with special tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace weft::models {

class GgufFile;
using TokenId = std::int32_t;

enum class TokenType : std::uint8_t {
  undefined = 0,
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

/// A vocabulary as the file has it, checked: equal lengths, ids below the vocabulary's size.
struct Vocabulary {
  std::string model;  ///< tokenizer.ggml.model: "llama" (SentencePiece-BPE) or "gpt2" (byte-level BPE)
  std::string pre;    ///< tokenizer.ggml.pre: which pre-tokenizer (gpt2 only)
  std::vector<std::string> tokens;
  std::vector<float> scores;  ///< llama only
  std::vector<TokenType> types;
  std::vector<std::string> merges;  ///< gpt2 only: "left right", best first
  std::optional<TokenId> bos, eos, eot, eom, unknown, padding;
  bool add_bos = false;
  bool add_eos = false;
  bool add_space_prefix = false;
  std::vector<std::string> warnings;  ///< ignored keys and the like, for the person who loads the model
};

/// Reads `tokenizer.ggml.*`. Errors name key, found and wanted.
[[nodiscard]] Result<Vocabulary> vocabulary_from(const GgufFile& file);

enum class SpecialTokens : std::uint8_t {
  as_text,  ///< control tokens in the text are plain characters (user text)
  parsed,   ///< control tokens in the text become their ids (a template's own text)
};

/// Immutable and thread-safe.
class Tokenizer {
 public:
  /// Errors: unsupported (model or pre-tokenizer unknown; names it), invalid_file (merges malformed …).
  [[nodiscard]] static Result<std::unique_ptr<const Tokenizer>> make(Vocabulary vocabulary);
  virtual ~Tokenizer() = default;

  [[nodiscard]] virtual const Vocabulary& vocabulary() const = 0;
  /// Ids of `text` (any bytes, NUL included) without BOS or EOS.
  [[nodiscard]] virtual Result<std::vector<TokenId>> encode(std::string_view text, SpecialTokens special) const = 0;
  /// Bytes that a token stands for (▁ and byte maps undone). Control tokens give "" unless `special` is parsed.
  /// Id must be in the vocabulary.
  [[nodiscard]] virtual std::string piece(TokenId id, SpecialTokens special) const = 0;
  /// Text of a whole sequence; strips the space that add_space_prefix put before the first word.
  [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids, SpecialTokens special) const = 0;
  /// True for the set of ids that end an answer (eos, eot, eom and tokens known by their text).
  [[nodiscard]] virtual bool ends_generation(TokenId id) const = 0;
  [[nodiscard]] virtual std::span<const TokenId> end_of_generation() const = 0;
};

/// Adds BOS (and EOS) as the vocabulary asks for, unless the text already begins with BOS.
[[nodiscard]] std::vector<TokenId> with_special(const Vocabulary& vocabulary, std::vector<TokenId> ids);

/// Turns a stream of tokens into text that is valid UTF-8 at every step: an unfinished character is held back.
class Detokenizer {
 public:
  explicit Detokenizer(const Tokenizer& tokenizer, SpecialTokens special = SpecialTokens::as_text);
  /// Text that became complete with this token, perhaps empty.
  [[nodiscard]] std::string push(TokenId id);
  /// What is held back, with broken bytes as U+FFFD; resets.
  [[nodiscard]] std::string finish();

 private:
  const Tokenizer* tokenizer_;
  SpecialTokens special_;
  std::string held_;
  bool first_ = true;
};

}  // namespace weft::models
