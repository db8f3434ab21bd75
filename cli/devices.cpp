// weft devices: what could run a model here, and why something can't.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "backends/all.hpp"
#include "cli/options.hpp"

namespace weft::cli {
namespace {

void print_text(const DeviceReport& report) {
  const DeviceInfo& d = report.device;
  if (!report.skipped.empty()) {
    fmt::print("  skipped ({}): {}{}{}\n", report.backend, d.description, d.description.empty() ? "" : ": ",
               report.skipped);
    return;
  }
  constexpr std::int64_t mebibyte = 1024 * 1024;
  fmt::print("  {}: {} ({} MiB, {} MiB free)\n", d.id, d.description, d.total_bytes / mebibyte,
             d.free_bytes > 0 ? fmt::format("{}", d.free_bytes / mebibyte) : "unknown");
  fmt::print("      backend {}, vendor {}, driver {}, {} units, largest allocation {} MiB\n      features: {}\n",
             report.backend, d.vendor, d.driver, d.units, d.max_allocation_bytes / mebibyte,
             fmt::join(d.features, " "));
}

nlohmann::ordered_json to_json(const DeviceReport& report) {
  const DeviceInfo& d = report.device;
  nlohmann::ordered_json json;
  json["backend"] = report.backend;
  json["id"] = d.id;
  json["description"] = d.description;
  json["vendor"] = d.vendor;
  json["driver"] = d.driver;
  json["units"] = d.units;
  json["local_bytes"] = d.local_bytes;
  json["max_allocation_bytes"] = d.max_allocation_bytes;
  json["total_bytes"] = d.total_bytes;
  json["free_bytes"] = d.free_bytes;
  json["features"] = d.features;
  if (!report.skipped.empty()) json["skipped"] = report.skipped;
  return json;
}

}  // namespace

int devices_verb(const Arguments& arguments) {
  OptionTable table{.verb = "devices",
                    .usage = "weft devices [--json] [--backend-library FILE]",
                    .about = "Lists the devices that backends can use, and says why others are skipped.",
                    .options = {},
                    .positionals = {}};
  table.options.add_options()("json", po::bool_switch(), "print a JSON array");
  add_library_option(table);
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const auto catalogue = backend_catalogue(parsed);
  if (!catalogue) return report(catalogue.error());
  const auto reports = catalogue->devices();
  if (parsed.flag("json")) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const DeviceReport& report : reports) all.push_back(to_json(report));
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return exit_ok;
  }
  fmt::print("Available devices:\n");
  for (const DeviceReport& report : reports) print_text(report);
  return exit_ok;
}

}  // namespace weft::cli
