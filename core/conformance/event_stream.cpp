// The lines' format is known to this file alone: both ends are the same program.
#include "core/conformance/event_stream.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace weft::conformance {
namespace {

using Json = nlohmann::json;

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json json_of(const CaseId& id) {
  return {{"op", id.op},     {"sample", id.sample}, {"kernel", id.kernel},
          {"rule", id.rule}, {"rules", id.rules},   {"number", id.number}};
}

CaseId case_of(const Json& json) {
  return {json.at("op"), json.at("sample"), json.at("kernel"), json.at("rule"), json.at("rules"), json.at("number")};
}

Inventory inventory_of(const Json& json) {
  Inventory inventory;
  inventory.backend = json.at("backend");
  inventory.path = json.at("path");
  inventory.seed = json.at("seed");
  inventory.ops = json.at("ops");
  inventory.samples = json.at("samples");
  inventory.complete = json.at("complete");
  inventory.all_kernels = json.at("all_kernels");
  for (const Json& k : json.at("kernels")) inventory.kernels.push_back({k.at(0), k.at(1), k.at(2)});
  for (const Json& l : json.at("limits")) inventory.limits.push_back({l.at(0), l.at(1)});
  return inventory;
}

/// JSON has no infinity; text has, and its shortest form is exact.
double number_of(const Json& json) { return std::strtod(json.get_ref<const std::string&>().c_str(), nullptr); }

Event event_of(const Json& json) {
  const auto kind = json.at("event").get<std::string>();
  if (kind == "inventory") return inventory_of(json);
  if (kind == "sample") return SampleBegins{json.at("index"), json.at("op"), json.at("sample")};
  if (kind == "case") return case_of(json.at("case"));
  if (kind == "ended") {
    return CaseEnded{case_of(json.at("case")), {json.at("fault"), number_of(json.at("worst")), json.at("limit")}};
  }
  if (kind == "unsupported") return Unsupported{json.at("op"), json.at("sample"), json.at("reason"), json.at("limit")};
  if (kind == "problem") return Problem{json.at("text")};
  if (kind == "end") return End{};
  throw std::invalid_argument("unknown event " + kind);
}

}  // namespace

void EventWriter::inventory(const Inventory& inventory) const {
  Json kernels = Json::array();
  for (const KnownKernel& k : inventory.kernels) kernels.push_back(Json::array({k.op, k.kernel, k.reachable}));
  Json limits = Json::array();
  for (const Inventory::Limit& l : inventory.limits) limits.push_back(Json::array({l.op, l.number}));
  write_line(line_of({{"event", "inventory"},
                      {"backend", inventory.backend},
                      {"path", inventory.path},
                      {"seed", inventory.seed},
                      {"ops", inventory.ops},
                      {"samples", inventory.samples},
                      {"complete", inventory.complete},
                      {"all_kernels", inventory.all_kernels},
                      {"kernels", kernels},
                      {"limits", limits}}));
}

void EventWriter::sample_begins(std::size_t index, const std::string& op, const std::string& sample) {
  write_line(line_of({{"event", "sample"}, {"index", index}, {"op", op}, {"sample", sample}}));
}

void EventWriter::case_begins(const CaseId& id) { write_line(line_of({{"event", "case"}, {"case", json_of(id)}})); }

void EventWriter::case_ended(const CaseId& id, const CaseOutcome& outcome) {
  write_line(line_of({{"event", "ended"},
                      {"case", json_of(id)},
                      {"fault", outcome.fault},
                      {"worst", fmt::format("{}", outcome.worst)},
                      {"limit", outcome.limit}}));
}

void EventWriter::unsupported(const Unsupported& unsupported) {
  write_line(line_of({{"event", "unsupported"},
                      {"op", unsupported.op},
                      {"sample", unsupported.sample},
                      {"reason", unsupported.reason},
                      {"limit", unsupported.limit}}));
}

void EventWriter::problem(const std::string& text) { write_line(line_of({{"event", "problem"}, {"text", text}})); }

void EventWriter::end() const { write_line(line_of({{"event", "end"}})); }

void EventWriter::write_line(const std::string& json) const {
  for (std::size_t at = 0; at < json.size();) {
    const ssize_t written = write(descriptor_, json.data() + at, json.size() - at);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

Result<Event> parse_event(std::string_view line) {
  try {
    return event_of(Json::parse(line));
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid_file, "conformance: a child process said \"{}\", which is no event: {}", line,
                error.what());
  }
}

void replay(const Event& event, Events& events) {
  if (const auto* sample = std::get_if<SampleBegins>(&event)) {
    events.sample_begins(sample->index, sample->op, sample->sample);
  } else if (const auto* id = std::get_if<CaseId>(&event)) {
    events.case_begins(*id);
  } else if (const auto* ended = std::get_if<CaseEnded>(&event)) {
    events.case_ended(ended->id, ended->outcome);
  } else if (const auto* unsupported = std::get_if<Unsupported>(&event)) {
    events.unsupported(*unsupported);
  } else if (const auto* problem = std::get_if<Problem>(&event)) {
    events.problem(problem->text);
  }
}

}  // namespace weft::conformance
