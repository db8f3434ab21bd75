// Plan of glu.
#include "backends/opencl/ops/elementwise.hpp"
#include "backends/opencl/ops/glu/glu_plan.hpp"

namespace weft::opencl {

Status plan_glu_rows(StepPlan& plan, const Operand& gate, const Operand& up, const Operand& y,
                     ActivationKind activation) {
  return plan_elements(plan, "glu", {gate, up, y}, {fmt::format("ACTIVATION={}", name_of(activation))});
}

Status plan_glu(const StepRequest& request, StepPlan& plan) {
  return plan_glu_rows(plan, request.inputs[0], request.inputs[1], request.outputs[0], request.op<Glu>().activation);
}

}  // namespace weft::opencl
