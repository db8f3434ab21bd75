// Conformance in child processes: a kernel that crashes or hangs costs its case, not the report.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/conformance/conformance.hpp"
#include "core/result.hpp"

namespace weft::conformance {

struct Isolation {
  /// Starts a child: a program and its arguments, to which run_isolated adds child_arguments. The program must call
  /// run_child with what they say.
  std::vector<std::string> command;
  std::size_t jobs = 1;              ///< children at once
  std::chrono::seconds timeout{60};  ///< for a case, with all that comes before it (building a program, the reference)
};

/// The report that run() would give, whatever the number of children. Where a child dies or says nothing for the time
/// limit, the case that it was at fails, and another child goes on after it; a kernel that does so ten times is left
/// out from then on. Errors: internal (no child can be started, or even opening the backend ends the child).
[[nodiscard]] Result<Report> run_isolated(const Isolation& isolation);

/// What a child has to run.
struct ChildTask {
  SampleRange range;
  std::vector<std::string> left_out;  ///< kernels, for Options
};
/// The child's side of the arguments: `--child FIRST:CASE:LAST[:KERNEL…]`.
[[nodiscard]] std::vector<std::string> child_arguments(const ChildTask& task);
/// Reads the value of `--child`. Errors: invalid_argument.
[[nodiscard]] Result<ChildTask> parse_child_task(std::string_view text);

/// Runs the task and tells the parent of it through event_descriptor. Errors: those of run_samples.
[[nodiscard]] Status run_child(Backend& backend, Options options, const ChildTask& task);

}  // namespace weft::conformance
