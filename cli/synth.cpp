// weft synth: a model file of a known shape with random weights.
#include <fmt/core.h>

#include <boost/program_options/value_semantic.hpp>

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/weight_options.hpp"
#include "models/synthetic/synthesize.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{.verb = "synth",
                    .usage = "weft synth --shape S --type T OUT [OPTION …]",
                    .about =
                        "Writes a valid model with random weights of a real model's shape, for measurements and\n"
                        "tests. The same seed gives the same file.",
                    .options = {},
                    .positionals = {"out"}};
  table.options.add_options()("out", po::value<std::string>(), "model file to write")(
      "shape", po::value<std::string>(), "tiny, llama-8b, qwen-0.5b …; an unknown one lists all")(
      "seed,s", po::value<std::int64_t>()->default_value(1), "seed of the weights (default 1)");
  add_weight_options(table);
  return table;
}

Result<const models::ModelShape*> asked_shape(const Parsed& parsed) {
  std::string list;
  for (const models::ModelShape& shape : models::model_shapes()) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", shape.name);
  }
  if (!parsed.has("shape")) return fail(ErrorCode::invalid_argument, "--shape is missing; known are {}", list);
  const models::ModelShape* shape = models::find_shape(parsed.text("shape"));
  if (shape != nullptr) return shape;
  return fail(ErrorCode::invalid_argument, "--shape: there is no shape \"{}\"; known are {}", parsed.text("shape"),
              list);
}

Status run(const Parsed& parsed) {
  const auto shape = asked_shape(parsed);
  if (!shape) return error_of(shape);
  const auto type = asked_type(parsed, weight_types());
  if (!type) return error_of(type);
  const auto threads = asked_threads(parsed);
  if (!threads) return error_of(threads);
  const auto rules = weight_rules(parsed);
  if (!rules) return error_of(rules);
  catch_interrupts();
  ProgressLine line;
  models::SynthesisOptions options{
      .type = *type, .seed = static_cast<std::uint64_t>(parsed.integer("seed")), .threads = *threads, .progress = {}};
  options.progress = [&](const models::SynthesisProgress& p) {
    return line.show(p.tensor, p.bytes_done, p.bytes_in_all);
  };
  const auto bytes = models::synthesize(**shape, parsed.text("out"), *rules, options);
  if (!bytes) return error_of(bytes);
  const double seconds = line.seconds();
  constexpr double giga = 1e9;
  fmt::print(stderr, "{}: {:.3f} GB in {:.2f} s, {:.2f} GB/s\n", parsed.text("out"), static_cast<double>(*bytes) / giga,
             seconds, static_cast<double>(*bytes) / giga / seconds);
  return {};
}

}  // namespace

int synth_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  if (!parsed.has("out")) return usage_error("synth", "a file to write is wanted");
  const Status done = run(parsed);
  return done ? static_cast<int>(exit_ok) : report(done.error());
}

}  // namespace weft::cli
