// Cuts a text at the special tokens it contains, before any tokenizer sees it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/tokenizer/byte_trie.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

/// Raw text, or one special token.
struct Fragment {
  std::string_view text;
  std::optional<TokenId> token;
};

/// Immutable and thread-safe. Takes part: user-defined tokens always, control and unknown ones when asked for.
/// Longer tokens cut first, each from left to right; of equal length the lower id first.
class SpecialSplitter {
 public:
  explicit SpecialSplitter(const Vocabulary& vocabulary);
  /// Fragments view `text`. The cost is one walk over the text, and one more for each token that occurs in it.
  [[nodiscard]] std::vector<Fragment> split(std::string_view text, SpecialTokens special) const;

 private:
  struct Entry {
    std::string text;
    TokenId id = 0;
  };
  struct Group {
    std::vector<Entry> entries;  ///< in the order of cutting
    ByteTrie trie;               ///< text to index in `entries`
  };
  static Group group_of(const Vocabulary& vocabulary, SpecialTokens special);

  Group user_defined_;
  Group all_;
};

}  // namespace weft::models
