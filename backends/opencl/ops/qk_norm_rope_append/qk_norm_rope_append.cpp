// Plan of qk_norm_rope_append.
#include "backends/opencl/ops/kv_append/cache_plan.hpp"
#include "backends/opencl/ops/rope/rotation_plan.hpp"

namespace weft::opencl {

Status plan_qk_norm_rope_append(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const auto& op = request.op<QkNormRopeAppend>();
  const auto& in = request.inputs;
  const Operand& y = request.outputs[0];
  const Operand& state = request.outputs[1];
  const auto turns = plan_turns(plan, op.rope, in[9]);
  if (!turns) return error_of(turns);
  Launch& launch = plan.launch("ops/qk_norm_rope_append/qk_norm_rope_append.cl", "qk_norm_rope_append");
  launch.define("Q_TYPE", name_of(in[0].desc.dtype)).define("K_TYPE", name_of(in[1].desc.dtype));
  launch.define("V_TYPE", name_of(in[2].desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype)).define("LANES", *lanes);
  launch.define("K_CACHE", name_of(op.cache.k_type)).define("V_CACHE", name_of(op.cache.v_type));
  for (std::size_t i = 0; i < 8; ++i) launch.memory(in[i]);
  launch.memory(state).memory(*turns).memory(y).size64(v_plane_offset(op.cache, state.desc));
  const std::int64_t heads = in[0].desc.shape[1].max;
  for (const std::int64_t n : {heads, op.cache.kv_heads, op.cache.dk, op.cache.dv}) {
    launch.number(static_cast<std::uint32_t>(n));
  }
  for (std::size_t i = 0; i < 3; ++i) launch.number(in[i].desc.strides[0]).number(in[i].desc.strides[1]);
  launch.number(in[7].desc.strides[0]).number(y.desc.strides[0]).number(y.desc.strides[1]);
  add_rotation(launch, op.rope);
  launch.number(op.eps).number(op.weight_offset);
  launch.global = {Size(*lanes), Size(heads + 2 * op.cache.kv_heads), Size(in[0].desc.shape[0])};
  launch.local[0] = static_cast<std::size_t>(*lanes);
  return {};
}

}  // namespace weft::opencl
