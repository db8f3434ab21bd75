// What weft conformance prints of a report.
#pragma once

#include <string>

#include "cli/options.hpp"
#include "core/conformance/report.hpp"

namespace weft::cli {

/// The command's options that choose the backend, quoted for a shell.
[[nodiscard]] std::string backend_words(const Parsed& parsed);

/// `format` is table, json or junit. Each failed case comes with the command that repeats it alone.
[[nodiscard]] std::string conformance_text(const Parsed& parsed, const conformance::Report& report,
                                           std::string_view format);

}  // namespace weft::cli
