// Samples × forms × kernels, and what they add up to.
#include "core/conformance/conformance.hpp"

#include <algorithm>
#include <array>

#include "core/conformance/case_run.hpp"
#include "core/conformance/sample_case.hpp"
#include "core/rules/predicate.hpp"

namespace weft::conformance {
namespace {

/// A selection together with the call that it was made for.
struct Candidate {
  Selection selection;
  CallForm form;
  std::vector<std::string> rules;
};

bool same_kernel(const Selection& a, const Selection& b) {
  return a.kernel == b.kernel && a.with == b.with && a.activations == b.activations &&
         a.deterministic == b.deterministic;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class Conformance {
 public:
  Conformance(Backend& backend, Queue& queue, const Options& options)
      : backend_(backend), queue_(queue), options_(options) {
    report_.backend = backend.name();
    report_.path = backend.path();
    report_.seed = options.seed;
  }

  Report run() {
    const auto ops = runnable_ops();
    for (const std::string_view op : ops) {
      if (options_.op.empty() || options_.op == op) ran_ops_.emplace_back(op);
    }
    for (const AnySample& sample : all_samples()) {
      if (std::ranges::find(ran_ops_, weft::name_of(sample.op)) == ran_ops_.end()) continue;
      if (contains(sample.name, options_.sample)) run_sample(sample);
    }
    find_ops_without_cases();
    if (options_.kernel.empty() && options_.sample.empty()) find_kernels_without_cases();
    return std::move(report_);
  }

 private:
  void run_sample(const AnySample& sample) {
    run_prepared(sample, prepare(sample, options_.seed), {Room::none, Room::some});
    if (const auto with_nan = prepare_with_nan(sample, options_.seed)) run_prepared(sample, *with_nan, {Room::none});
  }

  void run_prepared(const AnySample& sample, const Result<SampleCase>& prepared, std::initializer_list<Room> rooms) {
    const std::string op(weft::name_of(sample.op));
    if (!prepared) return add_problem(op, prepared.error());
    const Constants constants(*prepared);
    for (const Room room : rooms) {
      auto form = form_of(*prepared, room);
      if (!form) {
        add_problem(op, form.error());
        continue;
      }
      const std::string name = fmt::format("{}, {}", prepared->name, name_of(room));
      for (const Candidate& candidate : candidates(std::move(*form), op, name)) {
        if (!contains(candidate.selection.kernel, options_.kernel)) continue;
        record(op, name, candidate,
               run_case(backend_, queue_, {*prepared, candidate.form, constants, candidate.selection}));
      }
    }
  }

  void add_problem(const std::string& op, const Error& error) {
    report_.problems.push_back(fmt::format("{}: {}", op, error.message));
  }

  /// What any rule selects for the call, in any phase and at any precision; each kernel and parameters once.
  std::vector<Candidate> candidates(CallForm form, const std::string& op, const std::string& sample) {
    std::vector<Candidate> all;
    for (const Phase phase : {Phase::prefill, Phase::decode}) {
      for (const Precision precision : {Precision::fast, Precision::exact}) {
        form.call.phase = phase;
        form.call.precision = precision;
        for (Selection& selection : backend_.alternatives(form.call)) add_candidate(std::move(selection), form, all);
        check_select(form.call, op, sample);
      }
    }
    if (all.empty()) {
      const auto selection = backend_.select(form.call);
      report_.unsupported.push_back({op, sample, selection ? "" : selection.error().message});
    }
    return all;
  }

  static void add_candidate(Selection selection, const CallForm& form, std::vector<Candidate>& all) {
    const auto known =
        std::ranges::find_if(all, [&](const Candidate& c) { return same_kernel(c.selection, selection); });
    const std::string rule = selection.rule;
    if (known == all.end()) {
      all.push_back({std::move(selection), form, {rule}});
    } else if (std::ranges::find(known->rules, rule) == known->rules.end()) {
      known->rules.push_back(rule);
    }
  }

  /// The winner must be the first of the alternatives.
  void check_select(const OpCall& call, const std::string& op, const std::string& sample) {
    const auto winner = backend_.select(call);
    const auto all = backend_.alternatives(call);
    if (winner ? !all.empty() && same_kernel(*winner, all.front()) : all.empty()) return;
    report_.problems.push_back(
        fmt::format("{}: sample \"{}\": select() gives {}, but the first of {} alternatives is {}", op, sample,
                    winner ? winner->kernel : "an error", all.size(), all.empty() ? "missing" : all.front().kernel));
  }

  void record(const std::string& op, const std::string& sample, const Candidate& candidate, const CaseResult& result) {
    KernelReport& kernel = report_of(op, candidate.selection.kernel);
    for (const std::string& rule : candidate.rules) {
      if (std::ranges::find(kernel.rules, rule) == kernel.rules.end()) kernel.rules.push_back(rule);
    }
    ++kernel.cases;
    if (result.worst > kernel.worst) {
      kernel.worst = result.worst;
      kernel.worst_sample = sample;
    }
    if (result.fault.empty()) return;
    ++kernel.failed;
    if (kernel.failures.size() >= max_failures) return;
    kernel.failures.push_back({sample, fmt::format("{} on sample \"{}\" by {}, seed {}: {}", candidate.selection.kernel,
                                                   sample, candidate.selection.rule, options_.seed, result.fault)});
  }

  KernelReport& report_of(const std::string& op, const std::string& kernel) {
    const auto known = std::ranges::find(report_.kernels, kernel, &KernelReport::kernel);
    if (known != report_.kernels.end()) return *known;
    KernelReport added;
    added.op = op;
    added.kernel = kernel;
    report_.kernels.push_back(std::move(added));
    return report_.kernels.back();
  }

  void find_ops_without_cases() {
    for (const std::string& op : ran_ops_) {
      const bool ran = std::ranges::find(report_.kernels, op, &KernelReport::op) != report_.kernels.end();
      if (ran || (options_.op.empty() && !options_.kernel.empty())) continue;
      const auto why = std::ranges::find(report_.unsupported, op, &Unsupported::op);
      report_.problems.push_back(
          fmt::format("{}: no case ran{}", op, why == report_.unsupported.end() ? "" : ": " + why->reason));
    }
  }

  /// Kernels that some rule uses but no sample met: a gap in the samples, unless the rules ask for another device.
  void find_kernels_without_cases() {
    Facts device;
    device.merge("device.", facts_of(backend_.device()));
    for (const RuleTable& table : backend_.rules()) {
      if (std::ranges::find(ran_ops_, table.op()) == ran_ops_.end()) continue;
      for (const Rule& rule : table.rules()) note_kernel_without_cases(table, rule.use, device);
    }
  }

  void note_kernel_without_cases(const RuleTable& table, const std::string& variant, const Facts& device) {
    const std::string kernel = fmt::format("{}/{}/{}", backend_.name(), table.op(), variant);
    if (std::ranges::find(report_.kernels, kernel, &KernelReport::kernel) != report_.kernels.end()) return;
    const auto fits_device = [&](const Rule& rule) {
      return rule.use == variant && std::ranges::all_of(rule.when, [&](const RuleTest& test) {
               const FactValue* value = device.find(test.fact);
               return value == nullptr || holds(test, *value);
             });
    };
    const bool reachable = std::ranges::any_of(table.rules(), fits_device);
    const std::string text = fmt::format("{}: no sample reaches it; its op needs one that does", kernel);
    std::vector<std::string>& list = reachable ? report_.problems : report_.unreachable;
    const std::string& entry = reachable ? text : kernel;
    if (std::ranges::find(list, entry) == list.end()) list.push_back(entry);
  }

  Backend& backend_;
  Queue& queue_;
  const Options& options_;
  Report report_;
  std::vector<std::string> ran_ops_;
};

}  // namespace

std::size_t Report::cases() const {
  std::size_t total = 0;
  for (const KernelReport& kernel : kernels) total += kernel.cases;
  return total;
}

bool Report::passed() const {
  return cases() > 0 && problems.empty() &&
         std::ranges::all_of(kernels, [](const KernelReport& kernel) { return kernel.failed == 0; });
}

std::vector<std::string_view> runnable_ops() {
  std::vector<std::string_view> names;
  AllOps::for_each([&]<class T>() {
    if constexpr (!ViewOpType<T>) names.push_back(T::name);
  });
  return names;
}

Result<Report> run(Backend& backend, const Options& options) {
  const auto known = runnable_ops();
  if (!options.op.empty() && std::ranges::find(known, options.op) == known.end()) {
    std::string list;
    for (const std::string_view name : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
    return fail(ErrorCode::invalid_argument, "conformance: no backend runs an op \"{}\"; there are {}", options.op,
                list);
  }
  auto queue = backend.make_queue({});
  if (!queue) return error_of(queue, "conformance");
  return Conformance(backend, **queue, options).run();
}

std::string to_text(const Report& report) {
  std::string text =
      fmt::format("{} ({}), seed {}: {} cases\n{:<44} {:>6} {:>7} {:>12}  {}\n", report.backend, report.path,
                  report.seed, report.cases(), "kernel", "cases", "failed", "error/limit", "worst on; reached by");
  for (const KernelReport& kernel : report.kernels) {
    std::string rules;
    for (const std::string& rule : kernel.rules) rules += (rules.empty() ? "" : ", ") + rule;
    text += fmt::format("{:<44} {:>6} {:>7} {:>12.3g}  {}; {}\n", kernel.kernel, kernel.cases, kernel.failed,
                        kernel.worst, kernel.worst_sample.empty() ? "exact" : kernel.worst_sample, rules);
  }
  for (const Unsupported& u : report.unsupported) {
    text += fmt::format("unsupported: {} \"{}\": {}\n", u.op, u.sample, u.reason);
  }
  for (const std::string& kernel : report.unreachable) text += fmt::format("not for this device: {}\n", kernel);
  for (const KernelReport& kernel : report.kernels) {
    for (const Failure& failure : kernel.failures) text += fmt::format("FAILED: {}\n", failure.message);
  }
  for (const std::string& problem : report.problems) text += fmt::format("FAILED: {}\n", problem);
  return text;
}

}  // namespace weft::conformance
