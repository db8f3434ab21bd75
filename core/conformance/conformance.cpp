// Samples × forms × kernels.
#include "core/conformance/conformance.hpp"

#include <algorithm>

#include "core/conformance/case_run.hpp"
#include "core/conformance/limits.hpp"
#include "core/conformance/sample_case.hpp"
#include "core/conformance/selection.hpp"
#include "core/rules/predicate.hpp"

namespace weft::conformance {
namespace {

/// Runs samples one after the other and tells of each step.
class Runner {
 public:
  Runner(Backend& backend, Queue& queue, const Options& options, const Limits& limits, Events& events)
      : backend_(backend), queue_(queue), options_(options), limits_(limits), events_(events) {}

  void run(const SampleRange& range) {
    const std::vector<AnySample> samples = chosen_samples(options_);
    for (std::size_t i = range.first; i < std::min(range.last, samples.size()); ++i) {
      first_case_ = i == range.first ? range.first_case : 0;
      next_case_ = 0;
      run_sample(i, samples[i]);
    }
  }

 private:
  void run_sample(std::size_t index, const AnySample& sample) {
    events_.sample_begins(index, std::string(weft::name_of(sample.op)), sample.name);
    run_prepared(sample, prepare(sample, options_.seed), {Room::none, Room::some});
    if (const auto with_nan = prepare_with_nan(sample, options_.seed)) run_prepared(sample, *with_nan, {Room::none});
  }

  void run_prepared(const AnySample& sample, const Result<SampleCase>& prepared, std::initializer_list<Room> rooms) {
    const std::string op(weft::name_of(sample.op));
    if (!prepared) return events_.problem(fmt::format("{}: {}", op, prepared.error().message));
    const Constants constants(*prepared);
    for (const Room room : rooms) {
      auto form = form_of(*prepared, room);
      if (!form) {
        events_.problem(fmt::format("{}: {}", op, form.error().message));
        continue;
      }
      const std::string name = fmt::format("{}, {}", prepared->name, name_of(room));
      if (!options_.case_name.empty() && options_.case_name != name) continue;
      run_form({sample, *prepared, constants, *form, op, name, room == Room::none && has_other_rows(*prepared)});
    }
  }

  /// A sample in one form, to be run by all kernels.
  struct Trial {
    const AnySample& sample;
    const SampleCase& prepared;
    const Constants& constants;
    const CallForm& form;
    const std::string& op;
    const std::string& name;
    bool last_row = false;
  };

  void run_form(const Trial& trial) {
    const auto& [sample, prepared, constants, form, op, name, last_row] = trial;
    const Candidates candidates = candidates_of(backend_, form, name);
    for (const std::string& problem : candidates.problems) events_.problem(fmt::format("{}: {}", op, problem));
    const auto limit = limits_.find(form.call, sample.name);
    if (candidates.all.empty()) return note_unsupported(form, op, name, limit);
    for (const Candidate& candidate : candidates.all) {
      const Selection& selection = candidate.selection;
      if (!kernel_chosen(options_, selection.kernel)) continue;
      const std::size_t number = next_case_++;
      const bool left_out = std::ranges::find(options_.left_out, selection.kernel) != options_.left_out.end();
      if (number < first_case_ || left_out) continue;
      const CaseId id{op, name, selection.kernel, selection.rule, candidate.rules, number};
      events_.case_begins(id);
      const CaseResult result = run_case(backend_, queue_, {prepared, candidate.form, constants, selection, last_row});
      events_.case_ended(id, {result.fault, result.worst, limit ? limit->number : 0});
    }
  }

  void note_unsupported(const CallForm& form, const std::string& op, const std::string& name,
                        const std::optional<Limits::Match>& limit) {
    if (limit) return events_.unsupported({op, name, limit->reason, limit->number});
    const auto selection = backend_.select(form.call);
    events_.unsupported({op, name, selection ? "" : selection.error().message, 0});
  }

  Backend& backend_;
  Queue& queue_;
  const Options& options_;
  const Limits& limits_;
  Events& events_;
  std::size_t first_case_ = 0;  ///< of the sample
  std::size_t next_case_ = 0;
};

/// Whether some rule that uses `variant` asks for nothing that the device lacks.
bool reachable(const RuleTable& table, const std::string& variant, const Facts& device) {
  return std::ranges::any_of(table.rules(), [&](const Rule& rule) {
    return rule.use == variant && std::ranges::all_of(rule.when, [&](const RuleTest& test) {
             const FactValue* value = device.find(test.fact);
             return value == nullptr || holds(test, *value);
           });
  });
}

void add_kernels(const Backend& backend, const RuleTable& table, std::vector<KnownKernel>& kernels) {
  Facts device;
  device.merge("device.", facts_of(backend.device()));
  for (const Rule& rule : table.rules()) {
    const std::string name = fmt::format("{}/{}/{}", backend.name(), table.op(), rule.use);
    if (std::ranges::find(kernels, name, &KnownKernel::kernel) != kernels.end()) continue;
    kernels.push_back({table.op(), name, reachable(table, rule.use, device)});
  }
}

Status check_op(const std::string& op) {
  const auto known = runnable_ops();
  if (op.empty() || std::ranges::find(known, op) != known.end()) return {};
  std::string list;
  for (const std::string_view name : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
  return fail(ErrorCode::invalid_argument, "conformance: no backend runs an op \"{}\"; there are {}", op, list);
}

}  // namespace

Result<Inventory> take_inventory(const Backend& backend, const Options& options) {
  if (Status ok = check_op(options.op); !ok) return error_of(ok);
  const auto limits = Limits::parse(backend.limits(), backend.device());
  if (!limits) return error_of(limits);
  Inventory inventory;
  inventory.backend = backend.name();
  inventory.path = backend.path();
  inventory.seed = options.seed;
  inventory.samples = chosen_samples(options).size();
  for (const std::string_view op : runnable_ops()) {
    if (options.op.empty() || options.op == op) inventory.ops.emplace_back(op);
  }
  const auto runs = [&](const std::string& op) { return std::ranges::find(inventory.ops, op) != inventory.ops.end(); };
  inventory.all_kernels = options.kernel.empty() || !options.op.empty();
  inventory.complete = options.kernel.empty() && options.sample.empty() && options.case_name.empty() && !options.quick;
  for (const RuleTable& table : backend.rules()) {
    if (runs(table.op())) add_kernels(backend, table, inventory.kernels);
  }
  for (const Limits::Entry& entry : limits->entries()) {
    if (runs(entry.op)) inventory.limits.push_back({entry.op, entry.number});
  }
  return inventory;
}

Status run_samples(Backend& backend, const Options& options, const SampleRange& range, Events& events) {
  if (Status ok = check_op(options.op); !ok) return ok;
  const auto limits = Limits::parse(backend.limits(), backend.device());
  if (!limits) return error_of(limits);
  auto queue = backend.make_queue({});
  if (!queue) return error_of(queue, "conformance");
  Runner(backend, **queue, options, *limits, events).run(range);
  return {};
}

Result<Report> run(Backend& backend, const Options& options) {
  auto inventory = take_inventory(backend, options);
  if (!inventory) return error_of(inventory);
  ReportBuilder builder(std::move(*inventory));
  if (Status ok = run_samples(backend, options, {}, builder); !ok) return error_of(ok);
  return std::move(builder).finish();
}

}  // namespace weft::conformance
