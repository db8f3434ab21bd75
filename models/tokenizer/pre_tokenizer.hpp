// Cuts a text into the pieces that byte-level BPE merges within, by the regular expressions of a named pre-tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace weft::models {

/// How PCRE2 runs a pattern. A match may cost `fixed + per_byte · bytes of the piece` steps; the patterns need at most
/// a few steps a byte, so the limit only ever ends a fault, with an error, never with other pieces.
struct MatchEngine {
  enum class Kind : std::uint8_t { jit, interpreter };
  Kind kind = Kind::jit;  ///< jit falls back to the interpreter where the machine forbids it
  std::uint32_t fixed_steps = 10000;
  std::uint32_t steps_per_byte = 32;
};

/// Immutable and thread-safe; working memory is the caller's Scratch. Needs little of the thread's own stack whatever
/// the text: PCRE2 gets its stack on the heap.
class PreTokenizer {
 public:
  /// Errors: unsupported (no pre-tokenizer of that name).
  [[nodiscard]] static Result<PreTokenizer> make(std::string_view name, MatchEngine engine = {});

  /// Working memory for one thread, reused from call to call.
  class Scratch {
   public:
    Scratch();
    ~Scratch();

   private:
    friend class PreTokenizer;
    struct State;
    std::unique_ptr<State> state_;
    std::vector<std::string_view> next_;
  };

  /// Replaces `pieces` by the pieces of `text`, in order and without gaps: each pattern in turn cuts every piece at its
  /// matches, and what lies between matches is a piece too. Broken UTF-8 is cut out first: each run of broken bytes is
  /// a piece, and the text on either side is seen as a text of its own.
  /// Errors: internal (a step limit was hit).
  Status split(std::string_view text, Scratch& scratch, std::vector<std::string_view>& pieces) const;

  /// A piece that is a token as a whole is that token, whatever the merges say.
  [[nodiscard]] bool ignores_merges() const { return ignores_merges_; }

 private:
  struct Regexes;
  Status cut(std::size_t pass, std::string_view piece, Scratch& scratch) const;

  std::string name_;
  bool ignores_merges_ = false;
  MatchEngine engine_;
  std::shared_ptr<const Regexes> regexes_;
};

}  // namespace weft::models
