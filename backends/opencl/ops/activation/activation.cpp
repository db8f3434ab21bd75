// Plan of activation.
#include "backends/opencl/ops/elementwise.hpp"

namespace weft::opencl {

Status plan_activation(const StepRequest& request, StepPlan& plan) {
  return plan_elementwise(request, plan, {fmt::format("ACTIVATION={}", name_of(request.op<Activation>().activation))});
}

}  // namespace weft::opencl
