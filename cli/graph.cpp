// weft graph: a model's op graph as it is after any pass.
#include <fmt/core.h>

#include <boost/program_options/value_semantic.hpp>
#include <vector>

#include "cli/options.hpp"
#include "graph/dump.hpp"

namespace weft::cli {
namespace {

OptionTable make_table() {
  OptionTable table{
      .verb = "graph",
      .usage = "weft graph MODEL [--dump-graph after:PASS] [--phase PHASE] [--format text|dot]",
      .about = "Writes the op graph of a model as it is after a pass. Without --dump-graph: after the last one.",
      .options = {},
      .positionals = {}};
  add_model_options(table);
  table.options.add_options()("dump-graph", po::value<std::string>()->default_value(""),
                              "after:PASS; a wrong PASS lists them")(
      "phase", po::value<std::string>()->default_value("decode"), "prefill or decode (default decode)")(
      "format", po::value<std::string>()->default_value("text"), "text, or dot for Graphviz (default text)");
  add_session_options(table);
  add_backend_options(table);
  return table;
}

/// Keeps the graph of each pass. A session makes its decode plan first, then the one for prefill.
class Recorder final : public graph::PassObserver {
 public:
  struct Entry {
    std::string pass;
    graph::Graph graph;
  };
  void after(std::string_view pass, const graph::Graph& graph) override {
    if (!plans_.empty() && !plans_.back().empty() && plans_.back().front().pass == pass) plans_.emplace_back();
    if (plans_.empty()) plans_.emplace_back();
    plans_.back().push_back({std::string(pass), graph});
  }
  [[nodiscard]] const std::vector<Entry>& entries(Phase phase) const {
    return phase == Phase::decode ? plans_.front() : plans_.back();
  }

 private:
  std::vector<std::vector<Entry>> plans_;
};

Status print(const Parsed& parsed, const std::vector<Recorder::Entry>& entries) {
  const std::string& option = parsed.text("dump-graph");
  const std::string pass = option.starts_with("after:") ? option.substr(6) : option;
  const Recorder::Entry* found = option.empty() ? &entries.back() : nullptr;
  std::string known;
  for (const Recorder::Entry& entry : entries) {
    if (entry.pass == pass) found = &entry;
    known += fmt::format("{}after:{}", known.empty() ? "" : ", ", entry.pass);
  }
  if (found == nullptr) {
    return fail(ErrorCode::invalid_argument, "--dump-graph: there is no \"{}\"; passes are {}", option, known);
  }
  fmt::print("{}", parsed.text("format") == "dot" ? graph::dump_dot(found->graph) : graph::dump_text(found->graph));
  return {};
}

}  // namespace

int graph_verb(const Arguments& arguments) {
  OptionTable table = make_table();
  const Parsed parsed = parse(table, arguments);
  if (parsed.exit) return *parsed.exit;
  const std::string& format = parsed.text("format");
  if (format != "text" && format != "dot")
    return usage_error("graph", fmt::format("--format is \"{}\", wanted text or dot", format));
  const std::string& phase = parsed.text("phase");
  if (phase != "prefill" && phase != "decode")
    return usage_error("graph", fmt::format("--phase is \"{}\", wanted prefill or decode", phase));
  auto options = session_options(parsed);
  if (!options) return report(options.error());
  Recorder recorder;
  options->observer = &recorder;
  const auto engine = open_engine(parsed, *options);
  if (!engine) return report(engine.error());
  const Status done = print(parsed, recorder.entries(phase == "decode" ? Phase::decode : Phase::prefill));
  return done ? static_cast<int>(exit_ok) : report(done.error());
}

}  // namespace weft::cli
