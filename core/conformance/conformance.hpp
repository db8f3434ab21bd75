// Proof that a backend's kernels are right: every sample of every op, run by every kernel that a rule can reach
// (forced, not only the winner), against the op's reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::conformance {

/// What to run; empty texts mean all.
struct Options {
  std::string op;      ///< exact name
  std::string kernel;  ///< part of `<backend>/<op>/<variant>`
  std::string sample;  ///< part of a sample's name
  std::uint64_t seed = 1;
};

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

/// A sample that the backend leaves to another one.
struct Unsupported {
  std::string op;
  std::string sample;
  std::string reason;
};

struct Report {
  std::string backend;
  std::string path;  ///< Backend::path()
  std::uint64_t seed = 0;
  std::vector<KernelReport> kernels;  ///< by op, in the order in which they were met
  std::vector<Unsupported> unsupported;
  std::vector<std::string> unreachable;  ///< kernels all of whose rules ask for another device
  std::vector<std::string>
      problems;  ///< faults of no single case: an op without cases, a kernel that no sample reaches

  [[nodiscard]] std::size_t cases() const;
  /// At least one case ran, and nothing failed.
  [[nodiscard]] bool passed() const;
};

/// Runs every case twice, with outputs poisoned, guards around every operand, and once with exact and once with larger
/// maxima of the symbolic dimensions. View ops have no kernels and are left out. The backend needs no other user.
/// Errors: invalid_argument (no such op, a view op), or what making a queue gives.
[[nodiscard]] Result<Report> run(Backend& backend, const Options& options);

/// Names of the ops that backends run: all but views.
[[nodiscard]] std::vector<std::string_view> runnable_ops();

/// The report as a table with one line a kernel, followed by all that is wrong.
[[nodiscard]] std::string to_text(const Report& report);

}  // namespace weft::conformance
