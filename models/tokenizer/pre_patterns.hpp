// The pre-tokenizers that byte-level BPE vocabularies name in tokenizer.ggml.pre: their patterns, as data.
#pragma once

#include <span>
#include <string_view>

namespace weft::models {

/// Pre-tokenizers that share patterns and habits. Patterns are PCRE2's, with UTF, UCP and DOLLAR_ENDONLY; they are
/// applied in order, each to the pieces that the one before left. `\s` means exactly Unicode's White_Space.
/// A pattern may take only a few steps a byte on any text: no repeats in repeats, no scan that starts at every byte.
struct PreFamily {
  std::span<const std::string_view> names;
  std::span<const std::string_view> patterns;
  bool ignores_merges = false;  ///< a piece that is a token as a whole is that token
  bool adds_bos = false;        ///< BOS is put before a text when the file doesn't say
};

[[nodiscard]] std::span<const PreFamily> pre_families();

/// The family that has `name`, or nullptr.
[[nodiscard]] const PreFamily* pre_family(std::string_view name);

}  // namespace weft::models
