// What is in a GGUF file, for people and for scripts.
#pragma once

#include <string>

#include "models/io/gguf.hpp"

namespace weft::models {

/// A table of lines: the file, totals, sizes by type, metadata (long texts and arrays shortened) and tensors. Control
/// characters and broken UTF-8 of the file are escaped, so that the text is safe to print on a terminal.
[[nodiscard]] std::string describe_text(const GgufFile& file);

/// The same as one JSON object with everything in full. It is valid JSON whatever the file holds: bytes that are no
/// UTF-8 become U+FFFD, floats that are no numbers become null.
[[nodiscard]] std::string describe_json(const GgufFile& file);

}  // namespace weft::models
