// Plan of concat: each part is copied to its columns.
#include "backends/opencl/ops/copy/copy_rows.hpp"

namespace weft::opencl {

Status plan_concat(const StepRequest& request, StepPlan& plan) {
  const auto tile = element_tile(request);
  if (!tile) return error_of(tile);
  const Operand& y = request.outputs[0];
  Place columns = y.place;
  for (const Operand& part : request.inputs) {
    if (Status ok = plan_copy_rows(plan, part, {columns, y.desc, *tile}); !ok) return ok;
    columns.offset += static_cast<std::size_t>(row_bytes(part.desc.dtype, part.desc.width()));
  }
  return {};
}

}  // namespace weft::opencl
