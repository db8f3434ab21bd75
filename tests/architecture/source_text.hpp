// Source text as the architecture rules read it: without comments and literals, and split into functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::architecture {

/// The text with every comment and the content of every string and character literal replaced by blanks. Length and
/// line breaks stay, so positions and line numbers hold for both.
[[nodiscard]] std::string code_only(std::string_view text);

[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// 1 for the first line.
[[nodiscard]] std::size_t line_number(std::string_view text, std::size_t position);

/// A function body at namespace or class scope, from the first line of its head to its closing brace.
struct FunctionSpan {
  std::string name;
  std::size_t first_line = 0;
  std::size_t last_line = 0;
  [[nodiscard]] std::size_t length() const { return last_line - first_line + 1; }
};

/// Finds functions by their braces: good for formatted code, not a parser. `code` is what code_only() gave.
[[nodiscard]] std::vector<FunctionSpan> functions_of(std::string_view code);

}  // namespace weft::architecture
