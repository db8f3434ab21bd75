// Plan of add_rms_norm.
#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

Status plan_add_rms_norm(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const auto& op = request.op<AddRmsNorm>();
  const Operand& a = request.inputs[0];
  const Operand& b = request.inputs[1];
  const Operand& sum = request.outputs[0];
  const Operand& y = request.outputs[1];
  Launch& launch = plan.launch("ops/add_rms_norm/add_rms_norm.cl", "add_rms_norm");
  launch.define("A_TYPE", name_of(a.desc.dtype)).define("B_TYPE", name_of(b.desc.dtype));
  launch.define("Y_TYPE", name_of(y.desc.dtype)).define("LANES", *lanes);
  launch.memory(a).memory(b).memory(request.inputs[2]).memory(sum).memory(y).size32(a.desc.shape.width());
  for (const Operand* operand : {&a, &b, &sum, &y}) launch.number(operand->desc.strides[0]);
  launch.number(op.eps).number(op.weight_offset);
  launch.global = {Size(*lanes), Size(a.desc.shape[0]), Size(1)};
  launch.local[0] = static_cast<std::size_t>(*lanes);
  return {};
}

}  // namespace weft::opencl
