// One case: one kernel on one sample, as a segment of one step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/conformance/sample_case.hpp"

namespace weft::conformance {

/// The weights of a sample as constants, in memory with guards. At a multiple of 32 bytes but not of 64, which is all
/// that model files promise.
class Constants {
 public:
  explicit Constants(const SampleCase& sample);
  /// Null for operands that are no weights.
  [[nodiscard]] std::shared_ptr<const HostTensor> of(std::size_t input) const { return tensors_[input]; }
  /// What was written to; empty if nothing was.
  [[nodiscard]] std::string damage(const SampleCase& sample) const;

 private:
  std::vector<std::shared_ptr<const HostTensor>> tensors_;
  std::vector<std::span<std::byte>> guarded_;
};

struct CaseResult {
  std::string fault;  ///< empty when right
  double worst = 0;   ///< largest error / tolerance
};

struct CaseInput {
  const SampleCase& sample;
  const CallForm& form;
  const Constants& constants;
  const Selection& selection;
  /// Also change the last row of operand 0, the step's activations, and look at the others.
  bool last_row = false;
};

/// Whether the sample's first operand has two or more rows of activations that a step could hold independently.
[[nodiscard]] bool has_other_rows(const SampleCase& sample);

/// Compiles and runs the case twice, and with another last row where asked. `queue` is of `backend`.
[[nodiscard]] CaseResult run_case(Backend& backend, Queue& queue, const CaseInput& input);

}  // namespace weft::conformance
