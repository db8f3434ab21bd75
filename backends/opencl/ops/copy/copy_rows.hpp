// Copies of rows as bytes, for copy and concat.
#pragma once

#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

/// Copies the rows of `x` to rows of `y`, whose strides are those of `y_desc`, starting at `y`. Both have one type.
[[nodiscard]] Status plan_copy_rows(StepPlan& plan, const Operand& x, const Place& y, const TensorDesc& y_desc);

}  // namespace weft::opencl
