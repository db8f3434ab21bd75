// Plan of logits: norm into scratch, head matmul with scale and soft-cap, and the arg-max where it is wanted.
#include "backends/opencl/ops/argmax/argmax_plan.hpp"
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"
#include "backends/opencl/ops/rms_norm/norm_plan.hpp"

namespace weft::opencl {

Status plan_logits(const StepRequest& request, StepPlan& plan) {
  const auto& op = request.op<Logits>();
  const Operand none;
  const Operand& x = request.inputs[0];
  const Operand& head = request.inputs[2];
  const std::int64_t lanes = request.parameter("NORM_LANES", 1);
  const Operand h = plan.scratch(TensorDesc::dense(DType::f32, x.desc.shape));
  if (Status ok = plan_norm_rows(plan, x, request.inputs[1], h, {op.eps, op.weight_offset, lanes}); !ok) return ok;
  const bool ids_only = op.result == Logits::Yields::argmax;
  const Operand values = ids_only ? plan.scratch(TensorDesc::dense(DType::f32, {x.desc.shape[0], head.desc.shape[0]}))
                                  : request.outputs[0];
  Status ok = plan_matmul(
      request, plan,
      {.x = h, .w = head, .bias = none, .residual = none, .y = values, .scale = op.scale, .softcap = op.softcap});
  if (!ok || !ids_only) return ok;
  return plan_argmax_rows(plan, values, request.outputs[0], lanes);
}

}  // namespace weft::opencl
