// Proof that a backend's kernels are right: every sample of every op, run by every kernel that a rule can reach
// (forced, not only the winner), against the op's reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/conformance/report.hpp"
#include "core/result.hpp"

namespace weft::conformance {

/// What to run; empty texts mean all.
struct Options {
  std::string op;         ///< exact name
  std::string kernel;     ///< `<backend>/<op>/<variant>`, or part of it
  std::string sample;     ///< part of a sample's name
  std::string case_name;  ///< all of a case's name: the sample's and what is done to it
  /// Of the samples of an op whose operands have the same types, only the first and then every eighth.
  bool quick = false;
  std::uint64_t seed = 1;
  std::vector<std::string> left_out;  ///< kernels not to run, by their whole names
};

/// Which of the chosen samples to run, by their places among them.
struct SampleRange {
  std::size_t first = 0;
  std::size_t first_case = 0;  ///< cases of the first sample that come before this one are left out
  std::size_t last = std::numeric_limits<std::size_t>::max();  ///< excluded
};

/// What `options` choose on `backend`. Errors: invalid_argument (no such op, a view op), invalid_file (limits.json).
[[nodiscard]] Result<Inventory> take_inventory(const Backend& backend, const Options& options);

/// Runs every case of the range twice, with outputs poisoned, guards around every operand, and once with exact and once
/// with larger maxima of the symbolic dimensions; a third time with other numbers in the last row, which must leave all
/// other rows as they were. View ops have no kernels and are left out. The backend needs no other user.
/// Errors: those of take_inventory, or what making a queue gives.
[[nodiscard]] Status run_samples(Backend& backend, const Options& options, const SampleRange& range, Events& events);

/// All of it, as a report. Errors: those of run_samples.
[[nodiscard]] Result<Report> run(Backend& backend, const Options& options);

}  // namespace weft::conformance
