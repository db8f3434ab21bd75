// Plan of embed.
#include "backends/opencl/ops/plans.hpp"
#include "backends/opencl/weight_layout.hpp"

namespace weft::opencl {

Status plan_embed(const StepRequest& request, StepPlan& plan) {
  constexpr std::int64_t neighbours = 16;  // what a decoding step makes
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const Operand& ids = request.inputs[0];
  const Operand& table = request.inputs[1];
  const Operand& y = request.outputs[0];
  Launch& launch = plan.launch("ops/embed/embed.cl", "embed");
  if (Status ok = define_weight(launch, table); !ok) return ok;
  launch.define("Y_TYPE", name_of(y.desc.dtype));
  launch.memory(ids).memory(table).memory(y);
  launch.number(static_cast<std::uint32_t>(y.desc.width())).number(table.plane_blocks).number(row_blocks(table.desc));
  launch.number(y.desc.strides[0]).number(request.op<Embed>().scale);
  shape_elements(launch, {*lanes, neighbours}, Size(y.desc.width()), Size(ids.desc.shape[0]));
  return {};
}

}  // namespace weft::opencl
