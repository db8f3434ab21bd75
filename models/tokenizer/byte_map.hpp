// The printable spelling of bytes that byte-level BPE vocabularies use: 0x20 is U+0120, 0x0A is U+010A.
#pragma once

#include <string>
#include <string_view>

namespace weft::models {

/// Each byte as its printable character, in UTF-8.
[[nodiscard]] std::string printable_of(std::string_view bytes);
/// The bytes that a printable spelling stands for. A character outside the map stands for its own UTF-8 bytes.
[[nodiscard]] std::string bytes_of(std::string_view printable);

}  // namespace weft::models
