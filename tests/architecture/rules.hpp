// The architecture rules that a tool can check, applied to one file at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::architecture {

struct Violation {
  std::string file;
  std::size_t line = 0;
  std::string message;
};

inline constexpr std::size_t max_file_lines = 500;
inline constexpr std::size_t max_function_lines = 100;

/// What a file breaks; empty when all is well. `path` is relative to the source tree, with '/'. C++ files (.cpp, .hpp)
/// get all checks, OpenCL files those on text and length, every other file those on text.
[[nodiscard]] std::vector<Violation> check_file(std::string_view path, std::string_view text);

}  // namespace weft::architecture
