// Runs the built weft program and keeps what it said.
#pragma once

#include <string>

namespace weft::cli_tests {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

/// Runs `weft ARGUMENTS` in a shell, with `input` on standard input.
[[nodiscard]] Outcome weft(const std::string& arguments, const std::string& input = "");

/// Path of a golden model; the file name as the goldens have it.
[[nodiscard]] std::string model_file(const std::string& name);

}  // namespace weft::cli_tests
