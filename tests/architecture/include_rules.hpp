// Which folder may include what: the arrows of ARCHITECTURE.md as data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft::architecture {

struct Include {
  std::string_view target;
  bool quoted = false;  ///< "…", a file of this project; else <…>
};

/// The include of a line of source, if it is one.
[[nodiscard]] std::optional<Include> include_of(std::string_view line);

/// Why the file at `path` may not have this include, or nothing.
[[nodiscard]] std::optional<std::string> include_problem(std::string_view path, const Include& include);

}  // namespace weft::architecture
