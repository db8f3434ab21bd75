// Ends a stream of text at the first of several stop strings, wherever the pieces of the stream are cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "models/tokenizer/byte_trie.hpp"

namespace weft::models {

/// What came out of the matcher: all `text` together is the whole input up to the earliest start of a stop string.
struct StopStep {
  std::string text;      ///< safe to show: no part of it can become part of a stop string
  bool stopped = false;  ///< a stop string was found; nothing more is to be pushed
};

/// Feed it the answer only: what stands in the prompt can't stop. However the input is cut into pieces, the result is
/// the same. Text that could be the beginning of a stop string is held back until it can't be one. Where stop strings
/// overlap, the earliest start counts, so a match waits while one that began before it may still complete.
/// Stop strings and text are bytes: a stop string cut between characters leaves whole characters. One thread at a time.
class StopMatcher {
 public:
  /// Errors: invalid_argument (an empty stop string).
  [[nodiscard]] static Result<StopMatcher> make(const std::vector<std::string>& stops);

  [[nodiscard]] StopStep push(std::string_view text);
  /// The end of the stream: what was held back, cut at a match that was waiting. Resets for another stream.
  [[nodiscard]] StopStep finish();

 private:
  struct Found {
    std::size_t pending = std::string::npos;  ///< earliest start of what may become a stop string
    std::size_t match = std::string::npos;    ///< earliest start of a whole one
  };
  [[nodiscard]] Found look() const;

  ByteTrie stops_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace weft::models
