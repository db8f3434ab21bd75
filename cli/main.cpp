// weft: finds the verb and hands over its arguments.
#include <fmt/core.h>

#include <array>
#include <cstdio>

#include "cli/verb.hpp"

namespace weft::cli {

std::span<const Verb> verbs() {
  static constexpr std::array list{
      Verb{"run", "answer a prompt", run_verb},
      Verb{"bench", "measure prompt and generation speed", bench_verb},
      Verb{"inspect", "show what is in a model file", inspect_verb},
      Verb{"devices", "list devices, and why some are skipped", devices_verb},
      Verb{"rules", "check, list, explain and compare rule tables", rules_verb},
      Verb{"graph", "write a model's op graph after any pass, as text or DOT", graph_verb},
      Verb{"conformance", "prove a backend's kernels against the reference", conformance_verb},
      Verb{"quantize", "write a model again with weights of another type", quantize_verb},
      Verb{"synth", "write a model of random weights", synth_verb},
      Verb{"tokenize", "turn text into token ids and back", tokenize_verb},
  };
  return list;
}

int report(const Error& error) {
  fmt::print(stderr, "weft: error: {} ({})\n", error.message, name_of(error.code));
  return error.code == ErrorCode::invalid_argument ? exit_usage : exit_failure;
}

int usage_error(std::string_view verb, std::string_view message) {
  fmt::print(stderr, "weft: error: {}; see weft {} --help\n", message, verb);
  return exit_usage;
}

namespace {

void print_help(std::FILE* out) {
  fmt::print(out, "weft {}: runs language models on interchangeable backends.\n\nUsage: weft VERB [OPTION …]\n\n",
             WEFT_VERSION);
  for (const Verb& verb : verbs()) fmt::print(out, "  {:<12} {}\n", verb.name, verb.summary);
  fmt::print(out, "  {:<12} {}\n  {:<12} {}\n\n", "version", "print the version", "help", "print this text");
  fmt::print(out,
             "weft VERB --help shows a verb's options. Results go to stdout, everything else to stderr.\n"
             "Exit codes: 0 done, 1 failed, 2 wrong use. Each option --some-name can also be given by the\n"
             "environment variable WEFT_SOME_NAME; the command line wins.\n");
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    print_help(stderr);
    return exit_usage;
  }
  const std::string& name = arguments.front();
  if (name == "help" || name == "--help" || name == "-h") {
    print_help(stdout);
    return exit_ok;
  }
  if (name == "version" || name == "--version") {
    fmt::print("weft {}\n", WEFT_VERSION);
    return exit_ok;
  }
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return verb.run(Arguments(arguments.begin() + 1, arguments.end()));
  }
  fmt::print(stderr, "weft: error: there is no verb \"{}\"; see weft help\n", name);
  return exit_usage;
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) { return weft::cli::dispatch(weft::cli::Arguments(argv + 1, argv + argc)); }
