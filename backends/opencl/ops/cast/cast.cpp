// Plan of cast.
#include "backends/opencl/ops/elementwise.hpp"

namespace weft::opencl {

Status plan_cast(const StepRequest& request, StepPlan& plan) { return plan_elementwise(request, plan); }

}  // namespace weft::opencl
