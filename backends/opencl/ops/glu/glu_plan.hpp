// The gate as a part of other ops' plans.
#pragma once

#include "backends/opencl/ops/elementwise.hpp"
#include "core/ops/activation.hpp"

namespace weft::opencl {

/// y = act(a) * b
[[nodiscard]] Status plan_glu_rows(StepPlan& plan, const ElementwiseOperands& operands, ActivationKind activation);

}  // namespace weft::opencl
