// Plan of norm_matmul_glu: the norm into scratch, then both matmuls and the gate in one launch; by tiles, or where the
// two weights are stored differently, two matmuls into scratch and the gate.
#include "backends/opencl/ops/glu/glu_plan.hpp"
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"
#include "backends/opencl/ops/rms_norm/norm_plan.hpp"
#include "backends/opencl/weight_layout.hpp"
#include "core/rules/rule_set.hpp"

namespace weft::opencl {
namespace {

Status plan_both(const StepRequest& request, StepPlan& plan, const Operand& h) {
  const auto tile = row_tile(request);
  if (!tile) return error_of(tile);
  const Operand& gate = request.inputs[2];
  const Operand& up = request.inputs[4];
  const Operand& y = request.outputs[0];
  Launch& launch = plan.launch("ops/norm_matmul_glu/glu_rows.cl", "matmul_glu");
  if (Status ok = define_weight(launch, gate); !ok) return ok;
  launch.define("X_TYPE", name_of(h.desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype));
  launch.define("ACTIVATION", name_of(request.op<NormMatmulGlu>().activation));
  launch.memory(h).memory(gate).memory(request.inputs[3]).memory(up).memory(request.inputs[5]).memory(y);
  launch.size32(h.desc.shape[0]).number(static_cast<std::uint32_t>(gate.desc.rows()));
  launch.number(static_cast<std::uint32_t>(h.desc.width())).number(h.desc.strides[0]);
  launch.number(gate.plane_blocks).number(row_blocks(gate.desc)).number(up.plane_blocks).number(row_blocks(up.desc));
  launch.number(y.desc.strides[0]);
  shape_rows(launch, *tile, Size(h.desc.shape[0]), gate.desc.rows());
  return {};
}

Status plan_apart(const StepRequest& request, StepPlan& plan, const Operand& h) {
  const Operand none;
  const Operand& y = request.outputs[0];
  const Operand gate = plan.scratch(TensorDesc::dense(DType::f32, y.desc.shape));
  const Operand up = plan.scratch(TensorDesc::dense(DType::f32, y.desc.shape));
  Status ok = plan_matmul(request, plan,
                          {.x = h, .w = request.inputs[2], .bias = request.inputs[3], .residual = none, .y = gate});
  if (!ok) return ok;
  ok = plan_matmul(request, plan,
                   {.x = h, .w = request.inputs[4], .bias = request.inputs[5], .residual = none, .y = up});
  if (!ok) return ok;
  const std::int64_t lanes = request.parameter("NORM_LANES", 1);
  const ElementTile elements{lanes, lanes > 1 ? 1 : 16};
  return plan_glu_rows(plan, {gate, up, y, elements}, request.op<NormMatmulGlu>().activation);
}

Status plan_normed(const StepRequest& request, StepPlan& plan, const RowTile& tile) {
  const auto& op = request.op<NormMatmulGlu>();
  const auto& in = request.inputs;
  const Operand& y = request.outputs[0];
  Launch& launch = plan.launch("ops/norm_matmul_glu/normed_glu_rows.cl", "norm_matmul_glu");
  if (Status ok = define_weight(launch, in[2]); !ok) return ok;
  launch.define("X_TYPE", name_of(in[0].desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype));
  launch.define("ACTIVATION", name_of(op.activation)).define("LANES", tile.lanes).define("ROWS", tile.rows);
  for (std::size_t i = 0; i < 6; ++i) launch.memory(in[i]);
  const std::int64_t n = in[2].desc.rows();
  launch.memory(y).number(static_cast<std::uint32_t>(n)).number(static_cast<std::uint32_t>(in[0].desc.width()));
  launch.number(in[0].desc.strides[0]).number(op.eps).number(op.weight_offset);
  for (const std::size_t w : {2, 4}) launch.number(in[w].plane_blocks).number(row_blocks(in[w].desc));
  launch.number(y.desc.strides[0]);
  launch.global = {Size((n + tile.rows - 1) / tile.rows * tile.lanes), Size(in[0].desc.shape[0]), Size(1)};
  launch.local[0] = static_cast<std::size_t>(tile.lanes);
  return {};
}

}  // namespace

Status plan_norm_matmul_glu_normed(const StepRequest& request, StepPlan& plan) {
  if (!stored_alike(request.inputs[2], request.inputs[4])) return plan_norm_matmul_glu(request, plan);
  const auto tile = row_tile(request);
  if (!tile) return error_of(tile);
  return plan_normed(request, plan, *tile);
}

Status plan_norm_matmul_glu(const StepRequest& request, StepPlan& plan) {
  const auto& op = request.op<NormMatmulGlu>();
  const Operand& x = request.inputs[0];
  const Operand h = plan.scratch(TensorDesc::dense(DType::f32, x.desc.shape));
  const NormAttributes norm{op.eps, op.weight_offset, request.parameter("NORM_LANES", 1)};
  if (Status ok = plan_norm_rows(plan, x, request.inputs[1], h, norm); !ok) return ok;
  const bool together =
      variant_of(request.step.selection.kernel) == "rows" && stored_alike(request.inputs[2], request.inputs[4]);
  return together ? plan_both(request, plan, h) : plan_apart(request, plan, h);
}

}  // namespace weft::opencl
