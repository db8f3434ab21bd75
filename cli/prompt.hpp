// Where a verb's text comes from: -p, -f, or standard input.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "core/result.hpp"

namespace weft::cli {

/// -p and -f.
void add_prompt_options(OptionTable& table);
/// Any bytes. Errors: invalid_argument (unreadable file; nothing given and standard input is a terminal).
[[nodiscard]] Result<std::string> prompt_text(const Parsed& parsed);

}  // namespace weft::cli
