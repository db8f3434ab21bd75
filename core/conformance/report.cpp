// Sums of cases, and the gaps that they leave.
#include "core/conformance/report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/ops.hpp"

namespace weft::conformance {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// One line for all samples of an op that one entry of limits.json names, one for each that none does.
std::string unsupported_text(const Report& report) {
  std::string text;
  std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> named;
  for (const Unsupported& u : report.unsupported) {
    if (u.limit > 0) ++named[{u.op, u.limit, u.reason}];
  }
  for (const auto& [key, count] : named) {
    const auto& [op, limit, reason] = key;
    text += fmt::format("unsupported: {}, {} samples: {} (limit {})\n", op, count, reason, limit);
  }
  for (const Unsupported& u : report.unsupported) {
    if (u.limit > 0) continue;
    text += fmt::format("FAILED: {} on sample \"{}\": no rule reaches a kernel, and limits.json doesn't say why: {}\n",
                        u.op, u.sample, u.reason);
  }
  return text;
}

}  // namespace

std::size_t Report::cases() const {
  std::size_t total = 0;
  for (const KernelReport& kernel : kernels) total += kernel.cases;
  return total;
}

std::size_t Report::unsupported_of(std::string_view op) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(unsupported, [&](const Unsupported& u) { return op.empty() || u.op == op; }));
}

bool Report::passed() const {
  return cases() > 0 && problems.empty() &&
         std::ranges::all_of(unsupported, [](const Unsupported& u) { return u.limit > 0; }) &&
         std::ranges::all_of(kernels, [](const KernelReport& kernel) { return kernel.failed == 0; });
}

ReportBuilder::ReportBuilder(Inventory inventory) : inventory_(std::move(inventory)) {
  report_.backend = inventory_.backend;
  report_.path = inventory_.path;
  report_.seed = inventory_.seed;
}

KernelReport& ReportBuilder::report_of(const CaseId& id) {
  const auto known = std::ranges::find(report_.kernels, id.kernel, &KernelReport::kernel);
  if (known != report_.kernels.end()) return *known;
  KernelReport added;
  added.op = id.op;
  added.kernel = id.kernel;
  report_.kernels.push_back(std::move(added));
  return report_.kernels.back();
}

void ReportBuilder::case_ended(const CaseId& id, const CaseOutcome& outcome) {
  KernelReport& kernel = report_of(id);
  for (const std::string& rule : id.rules) {
    if (std::ranges::find(kernel.rules, rule) == kernel.rules.end()) kernel.rules.push_back(rule);
  }
  ++kernel.cases;
  if (outcome.worst > kernel.worst) {
    kernel.worst = outcome.worst;
    kernel.worst_sample = id.sample;
  }
  if (outcome.limit > 0 && outcome.fault.empty()) note_unexpected_pass(id, outcome.limit);
  if (outcome.fault.empty()) return;
  ++kernel.failed;
  if (kernel.failures.size() >= max_failures) return;
  kernel.failures.push_back({id.sample, fmt::format("{} on sample \"{}\" by {}, seed {}: {}", id.kernel, id.sample,
                                                    id.rule, report_.seed, outcome.fault)});
}

void ReportBuilder::note_unexpected_pass(const CaseId& id, std::size_t limit) {
  const auto same = [&](const UnexpectedPass& u) { return u.op == id.op && u.limit == limit; };
  const auto known = std::ranges::find_if(unexpected_, same);
  if (known == unexpected_.end()) return unexpected_.push_back({id.op, limit, id.sample, id.kernel, 1});
  ++known->cases;
}

void ReportBuilder::unsupported(const Unsupported& unsupported) {
  for (std::size_t i = 0; i < inventory_.limits.size(); ++i) {
    const Inventory::Limit& limit = inventory_.limits[i];
    if (limit.op == unsupported.op && limit.number == unsupported.limit) met_.push_back(i);
  }
  if (std::ranges::find(report_.unsupported, unsupported) == report_.unsupported.end()) {
    report_.unsupported.push_back(unsupported);
  }
}

void ReportBuilder::problem(const std::string& text) {
  if (std::ranges::find(report_.problems, text) == report_.problems.end()) report_.problems.push_back(text);
}

Report ReportBuilder::finish() && {
  for (const UnexpectedPass& u : unexpected_) {
    problem(
        fmt::format("{}: unexpected pass: limit {} of limits.json says that this backend can't run it, but {} runs "
                    "sample \"{}\" right, one of {} such cases; narrow the entry or remove it",
                    u.op, u.limit, u.kernel, u.sample, u.cases));
  }
  if (inventory_.all_kernels) find_ops_without_cases();
  if (inventory_.complete) find_kernels_without_cases();
  if (inventory_.complete) find_idle_limits();
  return std::move(report_);
}

void ReportBuilder::find_ops_without_cases() {
  for (const std::string& op : inventory_.ops) {
    if (std::ranges::find(report_.kernels, op, &KernelReport::op) != report_.kernels.end()) continue;
    const auto why = std::ranges::find(report_.unsupported, op, &Unsupported::op);
    if (why == report_.unsupported.end()) {
      problem(fmt::format("{}: no case ran", op));
    } else if (why->limit == 0) {
      problem(fmt::format("{}: no case ran: {}", op, why->reason));
    }
  }
}

void ReportBuilder::find_kernels_without_cases() {
  for (const KnownKernel& known : inventory_.kernels) {
    if (std::ranges::find(report_.kernels, known.kernel, &KernelReport::kernel) != report_.kernels.end()) continue;
    if (known.reachable) {
      problem(fmt::format("{}: no sample reaches it; its op needs one that does", known.kernel));
    } else {
      report_.unreachable.push_back(known.kernel);
    }
  }
}

void ReportBuilder::find_idle_limits() {
  for (std::size_t i = 0; i < inventory_.limits.size(); ++i) {
    const Inventory::Limit& limit = inventory_.limits[i];
    const bool passed = std::ranges::any_of(
        unexpected_, [&](const UnexpectedPass& u) { return u.op == limit.op && u.limit == limit.number; });
    if (passed || std::ranges::find(met_, i) != met_.end()) continue;
    problem(fmt::format("{}: limit {} of limits.json names no sample that the backend leaves; remove it", limit.op,
                        limit.number));
  }
}

std::vector<std::string_view> runnable_ops() {
  std::vector<std::string_view> names;
  AllOps::for_each([&]<class T>() {
    if constexpr (!ViewOpType<T>) names.push_back(T::name);
  });
  return names;
}

std::string to_text(const Report& report) {
  std::string text = fmt::format("{} ({}), seed {}: {} cases, {} unsupported\n{:<44} {:>6} {:>7} {:>12}  {}\n",
                                 report.backend, report.path, report.seed, report.cases(), report.unsupported.size(),
                                 "kernel", "cases", "failed", "error/limit", "worst on; reached by");
  for (const KernelReport& kernel : report.kernels) {
    text +=
        fmt::format("{:<44} {:>6} {:>7} {:>12.3g}  {}; {}\n", kernel.kernel, kernel.cases, kernel.failed, kernel.worst,
                    kernel.worst_sample.empty() ? "exact" : kernel.worst_sample, joined(kernel.rules));
  }
  text += unsupported_text(report);
  for (const std::string& kernel : report.unreachable) text += fmt::format("not for this device: {}\n", kernel);
  for (const KernelReport& kernel : report.kernels) {
    for (const Failure& failure : kernel.failures) text += fmt::format("FAILED: {}\n", failure.message);
  }
  for (const std::string& problem : report.problems) text += fmt::format("FAILED: {}\n", problem);
  return text;
}

}  // namespace weft::conformance
