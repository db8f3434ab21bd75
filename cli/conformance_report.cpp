// Reports as a table, JSON or JUnit.
#include "cli/conformance_report.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace weft::cli {
namespace {

using conformance::KernelReport;
using conformance::Report;

/// One word of a shell.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// The command that repeats a failed case alone.
std::string repeat_command(const Parsed& parsed, const KernelReport& kernel, const conformance::Failure& failure) {
  return fmt::format("weft conformance {} --op {} --case {} --kernel {} --seed {}", backend_words(parsed), kernel.op,
                     shell_word(failure.sample), kernel.kernel, parsed.integer("seed"));
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
    json["unsupported"].push_back({{"op", u.op}, {"sample", u.sample}, {"reason", u.reason}, {"limit", u.limit}});
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

/// One line of JUnit's; `inside` is what happened, empty when it passed.
std::string test_case(std::string_view op, std::string_view name, const std::string& inside) {
  return fmt::format("  <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n", xml(op), xml(name), inside);
}

std::string failure_text(const std::string& message, const std::string& body) {
  return fmt::format("<failure message=\"{}\">{}</failure>", xml(message), xml(body));
}

/// One test case a kernel; what the backend can't run is a case a sample, skipped where limits.json says why. What
/// belongs to no kernel is a case of its own.
std::string junit_text(const Parsed& parsed, const Report& report) {
  std::string cases;
  std::size_t failed = report.problems.size();
  std::size_t skipped = 0;
  for (const KernelReport& kernel : report.kernels) {
    std::string inside;
    for (const conformance::Failure& failure : kernel.failures) {
      inside += failure_text(failure.sample + ": " + failure.message, repeat_command(parsed, kernel, failure));
    }
    if (kernel.failed > 0) ++failed;
    cases += test_case(kernel.op, kernel.kernel, inside);
  }
  for (const conformance::Unsupported& u : report.unsupported) {
    ++(u.limit > 0 ? skipped : failed);
    const std::string skip = fmt::format("<skipped message=\"{}\"/>", xml(u.reason));
    cases += test_case(u.op, u.sample, u.limit > 0 ? skip : failure_text("limits.json doesn't name it", u.reason));
  }
  for (const std::string& problem : report.problems) cases += test_case("suite", "problem", failure_text(problem, ""));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\">\n{}</testsuite>\n",
      xml(report.backend), report.kernels.size() + report.unsupported.size() + report.problems.size(), failed, skipped,
      cases);
}

std::string table_text(const Parsed& parsed, const Report& report) {
  std::string text = conformance::to_text(report);
  for (const KernelReport& kernel : report.kernels) {
    for (const conformance::Failure& failure : kernel.failures)
      text += "repeat: " + repeat_command(parsed, kernel, failure) + "\n";
  }
  return text;
}

}  // namespace

std::string backend_words(const Parsed& parsed) {
  std::string words = fmt::format("--backend {}", parsed.text("backend"));
  for (const char* option : {"isa", "device", "cache-dir"}) {
    if (parsed.has(option)) words += fmt::format(" --{} {}", option, shell_word(parsed.text(option)));
  }
  if (parsed.has("threads")) words += fmt::format(" --threads {}", parsed.integer("threads"));
  for (const char* option : {"backend-library", "rules"}) {
    if (!parsed.has(option)) continue;
    for (const std::string& file : parsed.values[option].as<std::vector<std::string>>()) {
      words += fmt::format(" --{} {}", option, shell_word(file));
    }
  }
  return words;
}

std::string conformance_text(const Parsed& parsed, const Report& report, std::string_view format) {
  if (format == "json") return json_text(parsed, report);
  return format == "junit" ? junit_text(parsed, report) : table_text(parsed, report);
}

}  // namespace weft::cli
