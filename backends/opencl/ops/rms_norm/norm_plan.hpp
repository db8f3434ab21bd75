// The norm as a part of other ops' plans.
#pragma once

#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

struct NormAttributes {
  float eps = 0;
  float weight_offset = 0;
  std::int64_t lanes = 1;
};
[[nodiscard]] Status plan_norm_rows(StepPlan& plan, const Operand& x, const Operand& weight, const Operand& y,
                                    const NormAttributes& attributes);

}  // namespace weft::opencl
