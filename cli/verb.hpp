// What a verb of the command line is: a name, a summary, and a function from arguments to an exit code.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace weft::cli {

/// Exit codes of every verb.
enum Exit : int { exit_ok = 0, exit_failure = 1, exit_usage = 2 };

using Arguments = std::vector<std::string>;

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
};

/// All verbs, in the order of `weft help`.
[[nodiscard]] std::span<const Verb> verbs();

/// Prints one line on stderr and returns the exit code that fits: 2 for a wrong use, else 1.
int report(const Error& error);
/// The same for wrong arguments: names the verb whose --help explains.
int usage_error(std::string_view verb, std::string_view message);

int run_verb(const Arguments& arguments);
int bench_verb(const Arguments& arguments);
int inspect_verb(const Arguments& arguments);
int devices_verb(const Arguments& arguments);
int rules_verb(const Arguments& arguments);
int graph_verb(const Arguments& arguments);
int tokenize_verb(const Arguments& arguments);
int conformance_verb(const Arguments& arguments);
int quantize_verb(const Arguments& arguments);
int synth_verb(const Arguments& arguments);

}  // namespace weft::cli
