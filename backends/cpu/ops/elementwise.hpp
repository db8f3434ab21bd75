// Steps that compute each element of the output from the same element of one or two inputs.
#pragma once

#include <functional>
#include <memory>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/loops/loops.hpp"

namespace weft::cpu {

using UnaryFunction = std::function<void(const float* x, float* y, std::int64_t n)>;
using BinaryFunction = std::function<void(const float* a, const float* b, float* y, std::int64_t n)>;

/// Output 0 = function(input 0), whatever the strides; types are converted at the border.
[[nodiscard]] std::unique_ptr<Step> make_unary_step(const StepPlan& plan, const Loops& loops, UnaryFunction function);
/// Output 0 = function(input 0, input 1); input 1 may lack leading dimensions or have them of size 1.
[[nodiscard]] std::unique_ptr<Step> make_binary_step(const StepPlan& plan, const Loops& loops, BinaryFunction function);

}  // namespace weft::cpu
