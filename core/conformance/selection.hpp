// Which samples a run takes, and by which kernels a case is run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/conformance/conformance.hpp"
#include "core/conformance/sample_case.hpp"

namespace weft::conformance {

/// The samples of all runnable ops that `options` choose, in the order of all_samples().
[[nodiscard]] std::vector<AnySample> chosen_samples(const Options& options);

[[nodiscard]] bool kernel_chosen(const Options& options, const std::string& kernel);

/// A selection together with the call that it was made for.
struct Candidate {
  Selection selection;
  CallForm form;
  std::vector<std::string> rules;
};

struct Candidates {
  std::vector<Candidate> all;         ///< each kernel and its parameters once
  std::vector<std::string> problems;  ///< where select() isn't the first of the alternatives
};

/// What any rule selects for the call, in any phase and at any precision.
[[nodiscard]] Candidates candidates_of(const Backend& backend, CallForm form, std::string_view sample);

}  // namespace weft::conformance
