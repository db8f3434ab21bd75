// Plan of argmax.
#include "backends/opencl/ops/argmax/argmax_plan.hpp"

namespace weft::opencl {

Status plan_argmax_rows(StepPlan& plan, const Operand& x, const Operand& y, std::int64_t lanes) {
  Launch& launch = plan.launch("ops/argmax/argmax.cl", "argmax");
  launch.define("X_TYPE", name_of(x.desc.dtype)).define("LANES", lanes);
  launch.memory(x).memory(y).size32(x.desc.shape.width()).number(x.desc.strides[0]);
  launch.global = {Size(lanes), Size(x.desc.shape[0]), Size(1)};
  launch.local[0] = static_cast<std::size_t>(lanes);
  return {};
}

Status plan_argmax(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  return plan_argmax_rows(plan, request.inputs[0], request.outputs[0], *lanes);
}

}  // namespace weft::opencl
