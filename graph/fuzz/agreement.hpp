// Whether backends compute a whole graph as the reference does, within a bound that follows from the ops' tolerances.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"
#include "graph/ir.hpp"
#include "graph/plan.hpp"

namespace weft::graph::fuzz {

using Bytes = std::vector<std::byte>;

/// What a graph gives: bytes of each input and of each output.
struct StepValues {
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs;
};

/// Reproducible data for each input: normal f32 numbers; positions counting up; ids below the vocabulary.
[[nodiscard]] std::vector<Bytes> input_values(const Graph& graph, std::uint64_t seed);

/// The unfused reference with a bound for each output element.
///
/// How far an output may be off is measured: the reference runs `probes` more times, and each time every op's result y
/// is moved to y ± (absolute + relative * magnitude), its own tolerance, with random signs. To first order an output
/// then moves by a sum of independent ± terms, one for each rounding anywhere before it, and the root mean square over
/// probes estimates that sum's deviation s. Errors within the tolerances that are independent and of mean 0 leave 6 s
/// with a probability below 2 exp(-18) for each element (Hoeffding); 6 s is the bound. Taking s over 16 probes puts it
/// too low by a factor of 3 with a probability below 1e-6, and real kernels stay well inside their tolerance.
/// An op without tolerance (copies, views) adds nothing: a graph of such ops must agree exactly.
class Expectation {
 public:
  static constexpr int probes = 16;
  /// Errors: those of resolve_storage.
  [[nodiscard]] static Result<Expectation> make(const Graph& graph, std::uint64_t seed);
  [[nodiscard]] const std::vector<Bytes>& inputs() const { return inputs_; }
  /// Empty when all outputs agree, else the first wrong element, found, wanted and allowed. An arg-max may name any
  /// element whose value is within the bounds of the largest. Values that aren't finite never agree.
  [[nodiscard]] std::string fault(std::span<const Bytes> outputs) const;

 private:
  struct Numbers {
    std::string name;
    std::vector<double> want;
    std::vector<double> allowed;
    bool argmax = false;  ///< want holds the arg-max's operand, rows of `width`
    std::size_t width = 0;
    DType type = DType::f32;
  };
  std::vector<Bytes> inputs_;
  std::vector<Numbers> outputs_;
};

/// Runs a plan of the graph once on new states of zeros.
[[nodiscard]] Result<std::vector<Bytes>> run_on(const Graph& graph, const PlanOptions& options,
                                                std::span<const std::shared_ptr<Backend>> backends,
                                                std::span<const Bytes> inputs, PlanReport* report = nullptr);

/// Limits of the generator's step, in exact precision.
[[nodiscard]] PlanOptions step_options();

/// A way to run a graph; a Runner that fails gives its error.
using Runner = std::function<Result<std::vector<Bytes>>(const Graph& graph, std::span<const Bytes> inputs)>;
/// Empty when `run` agrees with the reference, else what is wrong.
[[nodiscard]] std::string disagreement(const Graph& graph, std::uint64_t seed, const Runner& run);

/// The smallest graph found that still fails: as long as one does, every earlier value is tried as the only output, and
/// every computed value as an input in the place of what made it. `fails` is called with verified graphs only.
[[nodiscard]] Graph shrink(Graph graph, const std::function<bool(const Graph&)>& fails);

}  // namespace weft::graph::fuzz
