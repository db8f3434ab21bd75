// Options of the verbs that write models.
#include "cli/weight_options.hpp"

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cctype>
#include <fstream>
#include <sstream>

namespace weft::cli {

void add_weight_options(OptionTable& table) {
  table.options.add_options()("type", po::value<std::string>(), "type of the weights: q8_0, q4_k, f16 …")(
      "threads,t", po::value<std::int64_t>()->default_value(0), "threads; 0 = as many as the process may use")(
      "rules", po::value<std::string>(),
      "rule file that says which tensors get which type (default: models/quantize/weight_types.rules.json, built in)");
}

Result<DType> asked_type(const Parsed& parsed, std::span<const DType> known) {
  std::string list;
  for (const DType type : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", name_of(type));
  if (!parsed.has("type")) return fail(ErrorCode::invalid_argument, "--type is missing; known are {}", list);
  std::string name = parsed.text("type");
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::ranges::find(known, name, [](DType type) { return name_of(type); });
  if (found != known.end()) return *found;
  return fail(ErrorCode::invalid_argument, "--type: there is no type \"{}\" to write; known are {}",
              parsed.text("type"), list);
}

Result<int> asked_threads(const Parsed& parsed) {
  constexpr std::int64_t most = 4096;
  const std::int64_t threads = parsed.integer("threads");
  if (threads >= 0 && threads <= most) return static_cast<int>(threads);
  return fail(ErrorCode::invalid_argument, "--threads is {}, wanted 0 to {}", threads, most);
}

Result<models::WeightTypes> weight_rules(const Parsed& parsed) {
  if (!parsed.has("rules")) return models::WeightTypes::make();
  const std::string& path = parsed.text("rules");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return fail(ErrorCode::invalid_argument, "--rules: cannot read {}", path);
  return models::WeightTypes::parse(text.str(), path);
}

}  // namespace weft::cli
