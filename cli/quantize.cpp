// weft quantize: a model file with its weights in another type.
#include "models/quantize/quantize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/weight_options.hpp"
#include "core/quant/encode/encoder.hpp"
#include "models/io/printable.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{.verb = "quantize",
                    .usage = "weft quantize IN OUT --type T [OPTION …]",
                    .about =
                        "Writes the model IN to OUT with weights of type T; a rule table says which tensors get\n"
                        "another. Prints for each tensor what the rounding cost: the root of the mean squared\n"
                        "error over that of the values, and the largest error.",
                    .options = {},
                    .positionals = {"in", "out"}};
  table.options.add_options()("in", po::value<std::string>(), "model file to read (GGUF)")(
      "out", po::value<std::string>(), "model file to write")("json", po::bool_switch(), "print one JSON object");
  add_weight_options(table);
  return table;
}

constexpr double mebibyte = 1024.0 * 1024.0;

struct Sums {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

Sums sums_of(const models::QuantizeReport& result) {
  Sums sums;
  for (const models::TensorReport& t : result.tensors) {
    sums.before += t.bytes_before;
    sums.after += t.bytes_after;
  }
  return sums;
}

void print_text(const models::QuantizeReport& result, DType asked) {
  std::size_t width = 6;
  for (const models::TensorReport& t : result.tensors) width = std::max(width, t.name.size());
  fmt::print("{:<{}}  {:<8} {:<8} {:>12} {:>10} {:>10}\n", "tensor", width, "from", "to", "bytes", "relative",
             "largest");
  for (const models::TensorReport& t : result.tensors) {
    const bool explain = t.to != name_of(asked) && t.to != "f32";
    fmt::print("{:<{}}  {:<8} {:<8} {:>12} {:>10.3e} {:>10.3e}{}{}\n", models::printable(t.name), width, t.from, t.to,
               t.bytes_after, t.relative_error, t.largest_error, explain ? "  " : "", explain ? t.why : "");
  }
}

void print_json(const models::QuantizeReport& result, DType asked, double seconds) {
  const Sums sums = sums_of(result);
  nlohmann::ordered_json json{{"type", name_of(asked)},    {"bytes_before", sums.before},
                              {"bytes_after", sums.after}, {"seconds", seconds},
                              {"notes", result.notes},     {"tensors", nlohmann::ordered_json::array()}};
  for (const models::TensorReport& t : result.tensors) {
    json["tensors"].push_back({{"name", t.name},
                               {"from", t.from},
                               {"to", t.to},
                               {"why", t.why},
                               {"elements", t.elements},
                               {"bytes_before", t.bytes_before},
                               {"bytes_after", t.bytes_after},
                               {"relative_error", t.relative_error},
                               {"largest_error", t.largest_error}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

/// The work, with progress; also says how long it took.
Result<models::QuantizeReport> run(const Parsed& parsed, DType type, double& seconds) {
  const auto threads = asked_threads(parsed);
  if (!threads) return error_of(threads);
  const auto rules = weight_rules(parsed);
  if (!rules) return error_of(rules);
  const auto input = models::GgufFile::open(parsed.text("in"));
  if (!input) return error_of(input);
  catch_interrupts();
  ProgressLine line;
  models::QuantizeOptions options{.type = type, .threads = *threads, .progress = {}};
  options.progress = [&](const models::QuantizeProgress& p) {
    return line.show(p.tensor, p.bytes_done, p.bytes_in_all);
  };
  auto result = models::quantize(**input, parsed.text("out"), *rules, options);
  seconds = line.seconds();
  return result;
}

}  // namespace

int quantize_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  if (!parsed.has("in") || !parsed.has("out")) {
    return usage_error("quantize", "two files wanted: the model to read and the one to write");
  }
  const auto type = asked_type(parsed, encodable_types());
  if (!type) return report(type.error());
  double seconds = 0;
  const auto result = run(parsed, *type, seconds);
  if (!result) return report(result.error());
  for (const std::string& note : result->notes) fmt::print(stderr, "weft: note: {}\n", note);
  if (parsed.flag("json")) {
    print_json(*result, *type, seconds);
    return exit_ok;
  }
  print_text(*result, *type);
  const Sums sums = sums_of(*result);
  fmt::print(stderr, "{:.1f} MiB to {:.1f} MiB in {:.1f} s, {:.0f} MiB/s of input\n",
             static_cast<double>(sums.before) / mebibyte, static_cast<double>(sums.after) / mebibyte, seconds,
             static_cast<double>(sums.before) / mebibyte / seconds);
  return exit_ok;
}

}  // namespace weft::cli
