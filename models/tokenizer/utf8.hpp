// Steps through bytes that may or may not be UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::models {

enum class Utf8Kind : std::uint8_t {
  valid,      ///< one whole character
  truncated,  ///< the text ends inside a character that more bytes could complete
  broken,     ///< bytes that begin no character, whatever follows
};

struct Utf8Step {
  Utf8Kind kind = Utf8Kind::broken;
  std::size_t length = 1;  ///< bytes; of a broken step the longest prefix of a character (Unicode 3.9, U+FFFD practice)
};

/// What the first bytes of `text` (not empty) are. Surrogates, overlong forms and values above U+10FFFF are broken.
[[nodiscard]] Utf8Step utf8_step(std::string_view text);

}  // namespace weft::models
