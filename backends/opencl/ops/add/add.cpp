// Plan of add.
#include "backends/opencl/ops/elementwise.hpp"

namespace weft::opencl {

Status plan_add(const StepRequest& request, StepPlan& plan) { return plan_elementwise(request, plan); }

}  // namespace weft::opencl
