// Reading of prompts.
#include "cli/prompt.hpp"

#include <unistd.h>

#include <boost/program_options/value_semantic.hpp>
#include <fstream>
#include <iostream>
#include <sstream>

namespace weft::cli {
namespace {

Result<std::string> read_stream(std::istream& in, const std::string& what) {
  std::ostringstream text;
  text << in.rdbuf();
  // An empty stream sets the output's failbit, which is no error.
  if (in.bad()) return fail(ErrorCode::invalid_argument, "cannot read {}", what);
  return text.str();
}

}  // namespace

void add_prompt_options(OptionTable& table) {
  table.options.add_options()("prompt,p", po::value<std::string>(), "the text")(
      "file,f", po::value<std::string>(), "file with the text; - is standard input");
}

Result<std::string> prompt_text(const Parsed& parsed) {
  if (parsed.has("prompt")) return parsed.text("prompt");
  if (parsed.has("file") && parsed.text("file") != "-") {
    std::ifstream in(parsed.text("file"), std::ios::binary);
    if (!in || in.peek() == std::ifstream::traits_type::eof()) {
      return fail(ErrorCode::invalid_argument, "-f: cannot read {}, or it is empty", parsed.text("file"));
    }
    return read_stream(in, parsed.text("file"));
  }
  if (parsed.has("file") || isatty(STDIN_FILENO) == 0) return read_stream(std::cin, "standard input");
  return fail(ErrorCode::invalid_argument, "no text: use -p TEXT, -f FILE or standard input");
}

}  // namespace weft::cli
