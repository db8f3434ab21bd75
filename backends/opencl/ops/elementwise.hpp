// The plan that all elementwise ops share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

struct ElementwiseOperands {
  const Operand& a;
  const Operand& b;  ///< a itself for ops of one operand
  const Operand& y;
  ElementTile tile;
};
/// y = F(a, b) by cl/elementwise.cl, F as ops/<op>/<op>.cl defines it. `defines` are what F needs.
[[nodiscard]] Status plan_elements(StepPlan& plan, std::string_view op, const ElementwiseOperands& operands,
                                   std::vector<std::string> defines);

/// The same for a step that is just this op.
[[nodiscard]] Status plan_elementwise(const StepRequest& request, StepPlan& plan,
                                      std::vector<std::string> defines = {});

/// A float as an OpenCL C expression that keeps every bit.
[[nodiscard]] std::string float_literal(float value);

}  // namespace weft::opencl
