// Plan of softcap.
#include "backends/opencl/ops/elementwise.hpp"

namespace weft::opencl {

Status plan_softcap(const StepRequest& request, StepPlan& plan) {
  return plan_elementwise(request, plan, {"CAP=" + float_literal(request.op<Softcap>().cap)});
}

}  // namespace weft::opencl
