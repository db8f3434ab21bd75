// weft conformance: proves a backend's kernels against the ops' references.
#include "core/conformance/conformance.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/program_options/value_semantic.hpp>
#include <filesystem>

#include "cli/conformance_report.hpp"
#include "cli/options.hpp"
#include "core/conformance/isolation.hpp"
#include "graph/dump.hpp"
#include "graph/fuzz/check.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "conformance",
      .usage = "weft conformance [--backend B] [--op OP] [--kernel PART] [--isolate] [--jobs N] [--quick] [--graphs N]",
      .about =
          "Runs every sample of every op by every kernel that a rule can reach against the op's reference:\n"
          "poisoned outputs, guarded buffers, NaN, the op's own tolerance, the same bits twice, rows that don't\n"
          "depend on other rows. Exit code 0 only if at least one case ran, none failed, and the backend's\n"
          "limits.json names all that it can't run. With --graphs, runs random graphs instead: fused, unfused\n"
          "and split over two backends, against the reference; one that fails is shrunk.",
      .options = {},
      .positionals = {}};
  table.options.add_options()("op", po::value<std::string>()->default_value(""), "only this op")(
      "kernel", po::value<std::string>()->default_value(""),
      "only this kernel (backend/op/variant), or those whose name holds this text")(
      "sample", po::value<std::string>()->default_value(""), "only samples whose name holds this text")(
      "case", po::value<std::string>()->default_value(""), "only the case of this name, as failures give it")(
      "seed,s", po::value<std::int64_t>()->default_value(1), "seed of the random operands (default 1)")(
      "quick", po::bool_switch(), "a fixed part of the samples: an eighth, and at least one for each operand types")(
      "isolate", po::bool_switch(),
      "run cases in child processes: a crash or a hang fails its case, and the rest runs")(
      "jobs", po::value<std::int64_t>()->default_value(1), "child processes at once; more than 1 means --isolate")(
      "timeout", po::value<std::int64_t>()->default_value(60), "with --isolate: most seconds for a case (default 60)")(
      "child", po::value<std::string>(), "")("graphs", po::value<std::int64_t>(),
                                             "run this many random graphs, of seeds SEED, SEED + 1, …")(
      "format", po::value<std::string>()->default_value("table"), "table, json or junit (default table)");
  add_backend_options(table);
  return table;
}

conformance::Options options_of(const Parsed& parsed) {
  conformance::Options options;
  options.op = parsed.text("op");
  options.kernel = parsed.text("kernel");
  options.sample = parsed.text("sample");
  options.case_name = parsed.text("case");
  options.quick = parsed.flag("quick");
  options.seed = static_cast<std::uint64_t>(parsed.integer("seed"));
  return options;
}

/// Each failing graph, its seed and the command that repeats it; exit code 0 only if all agree.
int run_graphs(const Parsed& parsed, std::span<const std::shared_ptr<Backend>> backends) {
  const std::int64_t graphs = parsed.integer("graphs");
  if (graphs < 1) return usage_error("conformance", fmt::format("--graphs is {}, wanted at least 1", graphs));
  std::int64_t failed = 0;
  for (std::int64_t i = 0; i < graphs; ++i) {
    const std::int64_t seed = parsed.integer("seed") + i;
    const auto fault = graph::fuzz::check_random_graph(static_cast<std::uint64_t>(seed), backends);
    if (!fault) return report(fault.error());
    if (!*fault) continue;
    ++failed;
    fmt::print("graph {}, {}: {}\nshrunk to:\n{}repeat: weft conformance {} --graphs 1 -s {}\n", seed, (*fault)->way,
               (*fault)->message, graph::dump_text((*fault)->shrunk), backend_words(parsed), seed);
  }
  fmt::print("{} graphs, {} failed\n", graphs, failed);
  return failed == 0 ? exit_ok : exit_failure;
}

/// What a parent with --isolate started: tells it of a part of the cases.
int run_as_child(const Parsed& parsed) {
  const auto task = conformance::parse_child_task(parsed.text("child"));
  if (!task) return report(task.error());
  const auto backends = open_backends(parsed);
  if (!backends) return report(backends.error());
  const Status done = conformance::run_child(*backends->front(), options_of(parsed), *task);
  return done ? exit_ok : report(done.error());
}

Result<conformance::Report> run_in_children(const Parsed& parsed, const Arguments& arguments) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return fail(ErrorCode::unsupported, "--isolate: can't find this program's file: {}", error.message());
  conformance::Isolation isolation;
  isolation.command = {program.string(), "conformance"};
  isolation.command.insert(isolation.command.end(), arguments.begin(), arguments.end());
  isolation.jobs = static_cast<std::size_t>(parsed.integer("jobs"));
  isolation.timeout = std::chrono::seconds(parsed.integer("timeout"));
  return conformance::run_isolated(isolation);
}

Result<conformance::Report> run_here(const Parsed& parsed) {
  const auto backends = open_backends(parsed);
  if (!backends) return error_of(backends);
  return conformance::run(*backends->front(), options_of(parsed));
}

/// What is wrong with the options, or nothing.
std::string misuse(const Parsed& parsed) {
  constexpr std::int64_t most_jobs = 1024;
  constexpr std::int64_t most_seconds = 86400;
  const std::string& format = parsed.text("format");
  if (format != "table" && format != "json" && format != "junit") {
    return fmt::format("--format is \"{}\", wanted table, json or junit", format);
  }
  if (parsed.has("graphs") && format != "table") return "--graphs prints text only: leave out --format";
  const std::int64_t jobs = parsed.integer("jobs");
  if (jobs < 1 || jobs > most_jobs) return fmt::format("--jobs is {}, wanted 1 to {}", jobs, most_jobs);
  const std::int64_t timeout = parsed.integer("timeout");
  if (timeout < 1 || timeout > most_seconds)
    return fmt::format("--timeout is {}, wanted 1 to {}", timeout, most_seconds);
  return "";
}

}  // namespace

int conformance_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  if (const std::string wrong = misuse(parsed); !wrong.empty()) return usage_error("conformance", wrong);
  if (parsed.has("child")) return run_as_child(parsed);
  if (parsed.has("graphs")) {
    const auto backends = open_backends(parsed);
    return backends ? run_graphs(parsed, *backends) : report(backends.error());
  }
  const bool isolate = parsed.flag("isolate") || parsed.integer("jobs") > 1;
  const auto result = isolate ? run_in_children(parsed, arguments) : run_here(parsed);
  if (!result) return report(result.error());
  fmt::print("{}", conformance_text(parsed, *result, parsed.text("format")));
  return result->passed() ? exit_ok : exit_failure;
}

}  // namespace weft::cli
