// Plan of rms_norm.
#include "backends/opencl/ops/rms_norm/norm_plan.hpp"

namespace weft::opencl {

Status plan_norm_rows(StepPlan& plan, const Operand& x, const Operand& weight, const Operand& y,
                      const NormAttributes& attributes) {
  const auto from = row_shape(x.desc);
  if (!from) return error_of(from);
  const auto to = row_shape(y.desc);
  if (!to) return error_of(to);
  Launch& launch = plan.launch("ops/rms_norm/rms_norm.cl", "rms_norm");
  launch.define("X_TYPE", name_of(x.desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype));
  launch.define("LANES", attributes.lanes);
  launch.memory(x).memory(weight).memory(y);
  launch.size32(x.desc.shape.width()).size32(from->dims[1]).size32(from->dims[2]);
  for (const std::int64_t stride : from->strides) launch.number(stride);
  for (const std::int64_t stride : to->strides) launch.number(stride);
  launch.number(attributes.eps).number(attributes.weight_offset);
  launch.global = {Size(attributes.lanes), from->rows, Size(1)};
  launch.local[0] = static_cast<std::size_t>(attributes.lanes);
  return {};
}

Status plan_rms_norm(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const auto& op = request.op<RmsNorm>();
  return plan_norm_rows(plan, request.inputs[0], request.inputs[1], request.outputs[0],
                        {.eps = op.eps, .weight_offset = op.weight_offset, .lanes = *lanes});
}

}  // namespace weft::opencl
