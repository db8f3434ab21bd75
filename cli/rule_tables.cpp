// Opening of backends for their tables.
#include "cli/rule_tables.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "graph/placement.hpp"

namespace weft::cli {

std::span<const RuleTable> Tables::of(std::string_view owner) const {
  if (owner == "placement") return placement;
  const auto found = std::ranges::find(backends, owner, [](const auto& b) { return b->name(); });
  return found == backends.end() ? std::span<const RuleTable>{} : (*found)->rules();
}

std::vector<std::string> Tables::owners() const {
  std::vector<std::string> names;
  for (const auto& backend : backends) names.emplace_back(backend->name());
  names.emplace_back("placement");
  return names;
}

Facts Tables::example_facts(std::string_view owner, std::string_view op) const {
  Facts facts = example_call_facts(op);
  const auto backend = std::ranges::find(backends, owner, [](const auto& b) { return b->name(); });
  if (backend != backends.end()) facts.merge("device.", facts_of((*backend)->device()));
  return facts;
}

Result<Tables> load_tables(const Parsed& parsed, const RuleFiles& files, std::string_view owner) {
  const bool one = !owner.empty() && owner != "placement";
  Tables tables;
  const auto catalogue = backend_catalogue(parsed);
  if (!catalogue) return error_of(catalogue);
  for (const std::string& name : one ? std::vector<std::string>{std::string(owner)} : catalogue->names()) {
    BackendOptions options;
    if (parsed.has("device")) options.device = parsed.text("device");
    options.rules = files.for_backend(name);
    auto backend = catalogue->make(name, options);
    if (backend) {
      tables.backends.push_back(std::move(*backend));
    } else if (backend.error().code == ErrorCode::unsupported && !one) {
      fmt::print(stderr, "weft: {}'s tables are left out: {}\n", name, backend.error().message);
    } else {
      return error_of(backend);
    }
  }
  auto placement = graph::load_placement_rules(files.placement, tables.backends);
  if (!placement) return error_of(placement);
  tables.placement.push_back(std::move(*placement));
  return tables;
}

std::string parameters_of(const Rule& rule) {
  std::string text;
  for (const auto& [name, value] : rule.with)
    text += fmt::format("{}{}={}", text.empty() ? " with " : " ", name, value);
  return text;
}

}  // namespace weft::cli
