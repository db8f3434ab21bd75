// Plan of norm_matmul: the norm into scratch, then a matmul for each pair of weight and bias.
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"
#include "backends/opencl/ops/rms_norm/norm_plan.hpp"

namespace weft::opencl {

Status plan_norm_matmul(const StepRequest& request, StepPlan& plan) {
  const auto& op = request.op<NormMatmul>();
  const Operand none;
  const Operand& x = request.inputs[0];
  const Operand h = plan.scratch(TensorDesc::dense(DType::f32, x.desc.shape));
  const NormAttributes norm{op.eps, op.weight_offset, request.parameter("NORM_LANES", 1)};
  if (Status ok = plan_norm_rows(plan, x, request.inputs[1], h, norm); !ok) return ok;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const MatmulOperands operands{.x = h,
                                  .w = request.inputs[2 + 2 * i],
                                  .bias = request.inputs[3 + 2 * i],
                                  .residual = none,
                                  .y = request.outputs[i]};
    if (Status ok = plan_matmul(request, plan, operands); !ok) return ok;
  }
  return {};
}

}  // namespace weft::opencl
