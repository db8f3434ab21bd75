// Plan of glu.
#include "backends/opencl/ops/glu/glu_plan.hpp"

namespace weft::opencl {

Status plan_glu_rows(StepPlan& plan, const ElementwiseOperands& operands, ActivationKind activation) {
  return plan_elements(plan, "glu", operands, {fmt::format("ACTIVATION={}", name_of(activation))});
}

Status plan_glu(const StepRequest& request, StepPlan& plan) {
  return plan_elementwise(request, plan, {fmt::format("ACTIVATION={}", name_of(request.op<Glu>().activation))});
}

}  // namespace weft::opencl
