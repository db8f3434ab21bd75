// Runs the built weft program and keeps what it said.
#pragma once

#include <string>

namespace weft::cli_tests {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

/// Runs `weft ARGUMENTS` in a shell, with `input` on standard input. `before` are words before the program: variables,
/// or a program that runs it.
[[nodiscard]] Outcome weft(const std::string& arguments, const std::string& input = "", const std::string& before = "");

/// Path of a golden model; the file name as the goldens have it.
[[nodiscard]] std::string model_file(const std::string& name);

}  // namespace weft::cli_tests
