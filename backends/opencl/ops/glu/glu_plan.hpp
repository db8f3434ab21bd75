// The gate as a part of other ops' plans.
#pragma once

#include "backends/opencl/ops/plans.hpp"
#include "core/ops/activation.hpp"

namespace weft::opencl {

/// y = act(gate) * up
[[nodiscard]] Status plan_glu_rows(StepPlan& plan, const Operand& gate, const Operand& up, const Operand& y,
                                   ActivationKind activation);

}  // namespace weft::opencl
