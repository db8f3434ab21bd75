// Filters of samples and kernels.
#include "core/conformance/selection.hpp"

#include <algorithm>
#include <map>

namespace weft::conformance {
namespace {

constexpr std::size_t quick_stride = 8;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Op and operand types: what decides which kernels a sample can reach.
std::string kind_of(const AnySample& sample) {
  std::string kind(weft::name_of(sample.op));
  for (const SampleInput& input : sample.inputs) kind += fmt::format(" {}", weft::name_of(input.desc.dtype));
  if (const auto cache = cache_spec_of(sample.op)) {
    kind += fmt::format(" {} {}", weft::name_of(cache->k_type), weft::name_of(cache->v_type));
  }
  return kind;
}

bool same_kernel(const Selection& a, const Selection& b) {
  return a.kernel == b.kernel && a.with == b.with && a.activations == b.activations &&
         a.deterministic == b.deterministic;
}

void add_candidate(Selection selection, const CallForm& form, std::vector<Candidate>& all) {
  const auto known = std::ranges::find_if(all, [&](const Candidate& c) { return same_kernel(c.selection, selection); });
  const std::string rule = selection.rule;
  if (known == all.end()) {
    all.push_back({std::move(selection), form, {rule}});
  } else if (std::ranges::find(known->rules, rule) == known->rules.end()) {
    known->rules.push_back(rule);
  }
}

/// The winner must be the first of the alternatives; else says what is wrong.
std::string compare_winner(const Result<Selection>& winner, const std::vector<Selection>& all,
                           std::string_view sample) {
  if (winner ? !all.empty() && same_kernel(*winner, all.front()) : all.empty()) return "";
  return fmt::format("sample \"{}\": select() gives {}, but the first of {} alternatives is {}", sample,
                     winner ? winner->kernel : "an error", all.size(), all.empty() ? "missing" : all.front().kernel);
}

}  // namespace

std::vector<AnySample> chosen_samples(const Options& options) {
  std::vector<AnySample> chosen;
  std::map<std::string, std::size_t> seen;
  const auto ops = runnable_ops();
  for (AnySample& sample : all_samples()) {
    const std::string_view op = weft::name_of(sample.op);
    if (std::ranges::find(ops, op) == ops.end() || (!options.op.empty() && options.op != op)) continue;
    if (options.quick && seen[kind_of(sample)]++ % quick_stride != 0) continue;
    if (!contains(sample.name, options.sample)) continue;
    if (options.case_name.starts_with(sample.name) || options.case_name.empty()) chosen.push_back(std::move(sample));
  }
  return chosen;
}

bool kernel_chosen(const Options& options, const std::string& kernel) {
  const bool whole_name = std::ranges::count(options.kernel, '/') == 2;
  return whole_name ? kernel == options.kernel : contains(kernel, options.kernel);
}

Candidates candidates_of(const Backend& backend, CallForm form, std::string_view sample) {
  Candidates found;
  for (const Phase phase : {Phase::prefill, Phase::decode}) {
    for (const Precision precision : {Precision::fast, Precision::exact}) {
      form.call.phase = phase;
      form.call.precision = precision;
      const std::vector<Selection> all = backend.alternatives(form.call);
      const std::string problem = compare_winner(backend.select(form.call), all, sample);
      if (!problem.empty()) found.problems.push_back(problem);
      for (const Selection& selection : all) add_candidate(selection, form, found.all);
    }
  }
  return found;
}

}  // namespace weft::conformance
