// Copies of rows as bytes, for copy and concat.
#pragma once

#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

/// Rows of another tensor, or columns of them.
struct CopyTarget {
  Place place;
  const TensorDesc& desc;  ///< for the strides
  ElementTile tile;
};
/// Copies the rows of `x`; both have one type.
[[nodiscard]] Status plan_copy_rows(StepPlan& plan, const Operand& x, const CopyTarget& y);

}  // namespace weft::opencl
