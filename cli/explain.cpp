// Rendering of plan reports.
#include "cli/explain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace weft::cli {
namespace {

std::string parameters(const RuleParameters& with) {
  std::string text;
  for (const auto& [name, value] : with) text += fmt::format("{}{}={}", text.empty() ? " {" : ", ", name, value);
  return text.empty() ? text : text + "}";
}

}  // namespace

std::string explain_text(const graph::PlanReport& report, Phase phase) {
  std::string text = fmt::format(
      "# {}: {} nodes, {} segments, {} copies, arena {:.2f} MiB ({:.2f} MiB without reuse)\n", name_of(phase),
      report.nodes.size(), report.segments.size(), report.copies, static_cast<double>(report.arena_bytes) / 1048576.0,
      static_cast<double>(report.unshared_arena_bytes) / 1048576.0);
  for (std::size_t i = 0; i < report.segments.size(); ++i) {
    const graph::SegmentReport& segment = report.segments[i];
    text += fmt::format("segment {}: {} steps on {}: {}\n", i, segment.steps, segment.backend, segment.description);
  }
  for (const graph::NodeReport& node : report.nodes) {
    text += fmt::format("{}  [{}] segment {} on {} by {}\n  kernel {}{} by {}: {}\n", node.node, node.op, node.segment,
                        node.backend, node.placement_rule, node.selection.kernel, parameters(node.selection.with),
                        node.selection.rule, node.selection.why);
    for (const PassedRule& passed : node.selection.passed) {
      text += fmt::format("    passed over #{} {}: {}\n", passed.index + 1, passed.use, passed.reason);
    }
    for (const std::string& refusal : node.refusals) text += fmt::format("    refused by {}\n", refusal);
  }
  return text;
}

std::string path_line(const graph::PlanReport& report, std::span<const std::shared_ptr<Backend>> backends) {
  std::set<std::string> used;
  for (const graph::SegmentReport& segment : report.segments) used.insert(segment.backend);
  std::string text;
  for (const auto& backend : backends) {
    if (!used.contains(std::string(backend->name()))) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", backend->name(), backend->path());
  }
  return fmt::format("{}; {} segments, {} copies", text, report.segments.size(), report.copies);
}

std::string profile_text(const graph::PlanReport& report, std::span<const graph::NodeTime> times, double wall_seconds) {
  struct Row {
    std::string key;
    double seconds = 0;
    std::size_t calls = 0;
  };
  std::map<std::string, Row> rows;
  double total = 0;
  for (const graph::NodeTime& time : times) {
    const graph::NodeReport& node = report.nodes[time.node];
    Row& row = rows[node.selection.kernel];
    row.key = node.selection.kernel;
    row.seconds += time.seconds;
    ++row.calls;
    total += time.seconds;
  }
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(row);
  std::ranges::sort(sorted, [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
  std::string text = fmt::format("{:<44} {:>7} {:>10} {:>7}\n", "kernel", "calls", "ms", "share");
  for (const Row& row : sorted) {
    text += fmt::format("{:<44} {:>7} {:>10.2f} {:>6.1f}%\n", row.key, row.calls, row.seconds * 1e3,
                        total > 0 ? 100 * row.seconds / total : 0);
  }
  return text + fmt::format("{:<44} {:>7} {:>10.2f} of {:.2f} ms wall\n", "all steps", times.size(), total * 1e3,
                            wall_seconds * 1e3);
}

}  // namespace weft::cli
