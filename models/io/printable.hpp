// Bytes of a file shown to a person: one line, no terminal control codes, valid UTF-8, bounded length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::models {

/// Bytes of the valid UTF-8 character that `text` starts with; 0 when it starts with none (also for empty text).
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// `text` with control characters and bytes that are no UTF-8 written as \n, \t, \r or \xHH. At most about `max_bytes`
/// of `text` are shown; "..." marks what is left out.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 80);

}  // namespace weft::models
