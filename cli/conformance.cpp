// weft conformance: proves a backend's kernels against the ops' references.
#include "core/conformance/conformance.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "graph/dump.hpp"
#include "graph/fuzz/check.hpp"

namespace weft::cli {
namespace {

using conformance::KernelReport;
using conformance::Report;

OptionTable make_table() {
  OptionTable table{
      .verb = "conformance",
      .usage = "weft conformance [--backend B] [--op OP] [--kernel PART] [--graphs N] [--format table|json|junit]",
      .about =
          "Runs every sample of every op by every kernel that a rule can reach against the op's reference:\n"
          "poisoned outputs, guarded buffers, NaN, the op's own tolerance, the same bits twice. Exit code 0\n"
          "only if at least one case ran and none failed. With --graphs, runs random graphs instead: fused,\n"
          "unfused and split over two backends, against the reference; one that fails is shrunk.",
      .options = {},
      .positionals = {}};
  table.options.add_options()("op", po::value<std::string>()->default_value(""), "only this op")(
      "kernel", po::value<std::string>()->default_value(""), "only kernels whose name holds this text")(
      "sample", po::value<std::string>()->default_value(""), "only samples whose name holds this text")(
      "seed,s", po::value<std::int64_t>()->default_value(1), "seed of the random operands (default 1)")(
      "graphs", po::value<std::int64_t>(), "run this many random graphs, of seeds SEED, SEED + 1, …")(
      "format", po::value<std::string>()->default_value("table"), "table, json or junit (default table)");
  add_backend_options(table);
  return table;
}

/// The command's options that choose the backend.
std::string backend_options(const Parsed& parsed) {
  std::string command = fmt::format("--backend {}", parsed.text("backend"));
  if (!parsed.text("isa").empty()) command += " --isa " + parsed.text("isa");
  if (parsed.has("backend-library")) {
    for (const std::string& file : parsed.values["backend-library"].as<std::vector<std::string>>()) {
      command += fmt::format(" --backend-library '{}'", file);
    }
  }
  return command;
}

/// The command that repeats a failed case alone.
std::string repeat_command(const Parsed& parsed, const KernelReport& kernel, const conformance::Failure& failure) {
  return fmt::format("weft conformance {} --op {} --kernel {} --sample '{}' -s {}", backend_options(parsed), kernel.op,
                     kernel.kernel, failure.sample, parsed.integer("seed"));
}

nlohmann::ordered_json kernel_json(const Parsed& parsed, const KernelReport& kernel) {
  nlohmann::ordered_json json{{"op", kernel.op},
                              {"kernel", kernel.kernel},
                              {"cases", kernel.cases},
                              {"failed", kernel.failed},
                              {"worst_error_over_tolerance", kernel.worst},
                              {"worst_sample", kernel.worst_sample},
                              {"rules", kernel.rules}};
  json["failures"] = nlohmann::ordered_json::array();
  for (const conformance::Failure& failure : kernel.failures) {
    json["failures"].push_back({{"sample", failure.sample},
                                {"message", failure.message},
                                {"repeat", repeat_command(parsed, kernel, failure)}});
  }
  return json;
}

std::string json_text(const Parsed& parsed, const Report& report) {
  nlohmann::ordered_json json{{"backend", report.backend},
                              {"path", report.path},
                              {"seed", report.seed},
                              {"passed", report.passed()},
                              {"cases", report.cases()}};
  json["kernels"] = nlohmann::ordered_json::array();
  for (const KernelReport& kernel : report.kernels) json["kernels"].push_back(kernel_json(parsed, kernel));
  json["unsupported"] = nlohmann::ordered_json::array();
  for (const conformance::Unsupported& u : report.unsupported) {
    json["unsupported"].push_back({{"op", u.op}, {"sample", u.sample}, {"reason", u.reason}});
  }
  json["unreachable"] = report.unreachable;
  json["problems"] = report.problems;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '&': escaped += "&amp;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

/// One test case a kernel; what belongs to no kernel is a case of its own.
std::string junit_text(const Parsed& parsed, const Report& report) {
  std::string cases;
  std::size_t failed = report.problems.size();
  for (const KernelReport& kernel : report.kernels) {
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\">", xml(kernel.op), xml(kernel.kernel));
    if (kernel.failed > 0) ++failed;
    for (const conformance::Failure& failure : kernel.failures) {
      cases += fmt::format("<failure message=\"{}\">{}</failure>", xml(failure.sample + ": " + failure.message),
                           xml(repeat_command(parsed, kernel, failure)));
    }
    cases += "</testcase>\n";
  }
  for (const std::string& problem : report.problems) {
    cases += fmt::format("  <testcase classname=\"suite\" name=\"problem\"><failure message=\"{0}\"/></testcase>\n",
                         xml(problem));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\">\n{}</testsuite>\n",
      xml(report.backend), report.kernels.size() + report.problems.size(), failed, cases);
}

std::string table_text(const Parsed& parsed, const Report& report) {
  std::string text = conformance::to_text(report);
  for (const KernelReport& kernel : report.kernels) {
    for (const conformance::Failure& failure : kernel.failures)
      text += "repeat: " + repeat_command(parsed, kernel, failure) + "\n";
  }
  return text;
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
               (*fault)->message, graph::dump_text((*fault)->shrunk), backend_options(parsed), seed);
  }
  fmt::print("{} graphs, {} failed\n", graphs, failed);
  return failed == 0 ? exit_ok : exit_failure;
}

}  // namespace

int conformance_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const std::string& format = parsed.text("format");
  if (format != "table" && format != "json" && format != "junit") {
    return usage_error("conformance", fmt::format("--format is \"{}\", wanted table, json or junit", format));
  }
  const auto backends = open_backends(parsed);
  if (!backends) return report(backends.error());
  if (parsed.has("graphs")) {
    if (format != "table") return usage_error("conformance", "--graphs prints text only: leave out --format");
    return run_graphs(parsed, *backends);
  }
  conformance::Options options;
  options.op = parsed.text("op");
  options.kernel = parsed.text("kernel");
  options.sample = parsed.text("sample");
  options.seed = static_cast<std::uint64_t>(parsed.integer("seed"));
  const auto result = conformance::run(*backends->front(), options);
  if (!result) return report(result.error());
  fmt::print("{}", format == "json"    ? json_text(parsed, *result)
                   : format == "junit" ? junit_text(parsed, *result)
                                       : table_text(parsed, *result));
  return result->passed() ? exit_ok : exit_failure;
}

}  // namespace weft::cli
