// Checks JSON text of rule tables beyond what a parser does: no key twice in an object, no deep nesting.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace weft {

/// Errors: invalid_file, naming `source` and, inside the array "rules", the number of the rule.
[[nodiscard]] Status check_strict_json(std::string_view json, std::string_view source);

/// `text` as a JSON string on one line, for messages.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace weft
