// Running of the program under test.
#include "tests/cli/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace weft::cli_tests {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Outcome weft(const std::string& arguments, const std::string& input, const std::string& before) {
  const auto base = std::filesystem::temp_directory_path() / ("weft_cli_" + std::to_string(getpid()));
  const std::string in = base.string() + ".in", out = base.string() + ".out", err = base.string() + ".err";
  std::ofstream(in, std::ios::binary) << input;
  const std::string command =
      before + " '" + WEFT_CLI + "' " + arguments + " <'" + in + "' >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out), read(err)};
  for (const std::string& file : {in, out, err}) std::filesystem::remove(file);
  return outcome;
}

std::string model_file(const std::string& name) { return std::string("'") + WEFT_MODEL_DIR + "/" + name + "'"; }

}  // namespace weft::cli_tests
