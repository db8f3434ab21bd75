// The arg-max as a part of other ops' plans.
#pragma once

#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

[[nodiscard]] Status plan_argmax_rows(StepPlan& plan, const Operand& x, const Operand& y, std::int64_t lanes);

}  // namespace weft::opencl
