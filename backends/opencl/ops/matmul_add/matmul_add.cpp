// Plan of matmul_add: one matmul whose epilogue adds the residual.
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"

namespace weft::opencl {

Status plan_matmul_add(const StepRequest& request, StepPlan& plan) {
  return plan_matmul(request, plan,
                     {.x = request.inputs[0],
                      .w = request.inputs[1],
                      .bias = request.inputs[2],
                      .residual = request.inputs[3],
                      .y = request.outputs[0]});
}

}  // namespace weft::opencl
