// Plan of scale.
#include "backends/opencl/ops/elementwise.hpp"

namespace weft::opencl {

Status plan_scale(const StepRequest& request, StepPlan& plan) {
  return plan_elementwise(request, plan, {"FACTOR=" + float_literal(request.op<Scale>().factor)});
}

}  // namespace weft::opencl
