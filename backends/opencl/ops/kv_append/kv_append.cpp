// Plan of kv_append.
#include "backends/opencl/ops/kv_append/cache_plan.hpp"

namespace weft::opencl {

Size v_plane_offset(const CacheSpec& spec, const TensorDesc& cache) {
  constexpr std::int64_t plane_alignment = 256;  // of core/kv_cache.hpp
  const auto row = static_cast<std::int64_t>(cache_planes(spec, 1).k_row_bytes);
  return Size(cache.shape[0]).times(row).rounded_up(plane_alignment);
}

Status plan_kv_append(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const CacheSpec& cache = request.op<KvAppend>().cache;
  const Operand& k = request.inputs[0];
  const Operand& v = request.inputs[1];
  const Operand& table = request.inputs[4];
  const Operand& state = request.outputs[0];
  Launch& launch = plan.launch("ops/kv_append/kv_append.cl", "kv_append");
  launch.define("K_TYPE", name_of(k.desc.dtype)).define("V_TYPE", name_of(v.desc.dtype)).define("LANES", *lanes);
  launch.define("K_CACHE", name_of(cache.k_type)).define("V_CACHE", name_of(cache.v_type));
  launch.memory(k).memory(v).memory(request.inputs[2]).memory(request.inputs[3]).memory(table).memory(state);
  launch.size64(v_plane_offset(cache, state.desc)).number(static_cast<std::uint32_t>(cache.kv_heads));
  launch.number(static_cast<std::uint32_t>(cache.dk)).number(static_cast<std::uint32_t>(cache.dv));
  launch.number(k.desc.strides[0]).number(k.desc.strides[1]).number(v.desc.strides[0]).number(v.desc.strides[1]);
  launch.number(table.desc.strides[0]);
  launch.global = {Size(*lanes), Size(2 * cache.kv_heads), Size(k.desc.shape[0])};
  launch.local[0] = static_cast<std::size_t>(*lanes);
  return {};
}

}  // namespace weft::opencl
