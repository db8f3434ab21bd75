// What a run of conformance found: by kernel, what the backend can't do, and what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/conformance/events.hpp"

namespace weft::conformance {

struct Failure {
  std::string sample;
  std::string message;  ///< one line: what, where, found, wanted, and the seed
};

/// A kernel with all its parameters, on all samples that it was run with.
struct KernelReport {
  std::string op;
  std::string kernel;
  std::size_t cases = 0;
  std::size_t failed = 0;         ///< cases
  std::vector<Failure> failures;  ///< the first max_failures
  double worst = 0;               ///< largest error / tolerance
  std::string worst_sample;
  std::vector<std::string> rules;  ///< `<file>#<number>` of the rules that reached it
};
inline constexpr std::size_t max_failures = 10;

struct Report {
  std::string backend;
  std::string path;  ///< Backend::path()
  std::uint64_t seed = 0;
  std::vector<KernelReport> kernels;  ///< by op, in the order in which they were met
  std::vector<Unsupported> unsupported;
  std::vector<std::string> unreachable;  ///< kernels all of whose rules ask for another device
  /// Faults of no single case: an op without cases, a kernel that no sample reaches, an entry of limits.json that names
  /// what runs, or nothing.
  std::vector<std::string> problems;

  [[nodiscard]] std::size_t cases() const;
  /// Samples that the backend can't run, of one op; all of them if `op` is empty.
  [[nodiscard]] std::size_t unsupported_of(std::string_view op) const;
  /// At least one case ran, nothing failed, and limits.json names all that the backend can't run.
  [[nodiscard]] bool passed() const;
};

/// A kernel that some rule of a backend uses.
struct KnownKernel {
  std::string op;
  std::string kernel;
  bool reachable = true;  ///< some rule that uses it asks for nothing that the device lacks
};

/// What there is to run, as the backend and the options have it.
struct Inventory {
  std::string backend;
  std::string path;
  std::uint64_t seed = 0;
  std::vector<std::string> ops;
  std::size_t samples = 0;
  /// Whether all samples of the ops run, by all kernels: only then is what they don't meet a gap.
  bool complete = false;
  /// Whether all kernels are run: only then is an op without cases a gap.
  bool all_kernels = false;
  std::vector<KnownKernel> kernels;
  /// Entries of limits.json, as they apply to one op each.
  struct Limit {
    std::string op;
    std::size_t number = 0;
  };
  std::vector<Limit> limits;
};

/// Adds events up to a report.
class ReportBuilder final : public Events {
 public:
  explicit ReportBuilder(Inventory inventory);
  void sample_begins(std::size_t /*index*/, const std::string& /*op*/, const std::string& /*sample*/) override {}
  void case_begins(const CaseId& /*id*/) override {}
  void case_ended(const CaseId& id, const CaseOutcome& outcome) override;
  /// What was said before counts once.
  void unsupported(const Unsupported& unsupported) override;
  void problem(const std::string& text) override;
  /// The report, with the gaps that only the whole run shows.
  [[nodiscard]] Report finish() &&;

 private:
  /// Cases of an entry of limits.json that passed.
  struct UnexpectedPass {
    std::string op;
    std::size_t limit = 0;
    std::string sample;
    std::string kernel;
    std::size_t cases = 0;
  };
  KernelReport& report_of(const CaseId& id);
  void note_unexpected_pass(const CaseId& id, std::size_t limit);
  void find_ops_without_cases();
  void find_kernels_without_cases();
  void find_idle_limits();

  Inventory inventory_;
  Report report_;
  std::vector<UnexpectedPass> unexpected_;
  std::vector<std::size_t> met_;  ///< places in Inventory::limits
};

/// Names of the ops that backends run: all but views.
[[nodiscard]] std::vector<std::string_view> runnable_ops();

/// The report as a table with one line a kernel, followed by all that is wrong.
[[nodiscard]] std::string to_text(const Report& report);

}  // namespace weft::conformance
