// Plans of attention.
#include "backends/opencl/ops/kv_append/cache_plan.hpp"

namespace weft::opencl {
namespace {

/// Types, memory and numbers in the order that every attention kernel takes them.
Launch& add_attention(StepPlan& plan, const StepRequest& request, std::string_view source) {
  const auto& op = request.op<Attention>();
  const auto& in = request.inputs;
  const Operand& y = request.outputs[0];
  Launch& launch = plan.launch(source, "attention");
  launch.define("Q_TYPE", name_of(in[0].desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype));
  launch.define("K_CACHE", name_of(op.cache.k_type)).define("V_CACHE", name_of(op.cache.v_type));
  launch.define("DK", op.cache.dk).define("DV", op.cache.dv);
  for (std::size_t i = 0; i < 7; ++i) launch.memory(in[i]);
  launch.memory(y).size64(v_plane_offset(op.cache, in[5].desc));
  launch.number(static_cast<std::uint32_t>(in[0].desc.shape[1].max));
  launch.number(static_cast<std::uint32_t>(op.cache.kv_heads));
  launch.number(in[0].desc.strides[0]).number(in[0].desc.strides[1]).number(in[3].desc.strides[0]);
  launch.number(y.desc.strides[0]).number(y.desc.strides[1]);
  launch.number(op.scale).number(op.softcap).number(static_cast<std::int32_t>(op.window));
  return launch;
}

}  // namespace

Status plan_attention_per_item(const StepRequest& request, StepPlan& plan) {
  Launch& launch = add_attention(plan, request, "ops/attention/per_item.cl");
  const Shape& q = request.inputs[0].desc.shape;
  launch.global = {Size(q[1]), Size(q[0]), Size(1)};
  return {};
}

Status plan_attention_lanes(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  Launch& launch = add_attention(plan, request, "ops/attention/lanes.cl");
  launch.define("LANES", *lanes);
  const Shape& q = request.inputs[0].desc.shape;
  launch.global = {Size(q[1]).times(*lanes), Size(q[0]), Size(1)};
  launch.local[0] = static_cast<std::size_t>(*lanes);
  return {};
}

}  // namespace weft::opencl
