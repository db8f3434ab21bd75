// weft inspect: what is in a model file.
#include <fmt/core.h>

#include <boost/program_options/value_semantic.hpp>

#include "cli/options.hpp"
#include "models/io/gguf_describe.hpp"

namespace weft::cli {

int inspect_verb(const Arguments& arguments) {
  OptionTable table{.verb = "inspect",
                    .usage = "weft inspect FILE [--json]",
                    .about = "Prints metadata, tensors, and sizes by type. Works on any GGUF file, supported or not.",
                    .options = {},
                    .positionals = {}};
  add_model_options(table);
  table.options.add_options()("json", po::bool_switch(), "print one JSON object with everything in full");
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const auto path = model_path(parsed);
  if (!path) return report(path.error());
  const auto file = models::GgufFile::open(*path, load_mode(parsed));
  if (!file) return report(file.error());
  fmt::print("{}\n", parsed.flag("json") ? models::describe_json(**file) : models::describe_text(**file));
  return exit_ok;
}

}  // namespace weft::cli
