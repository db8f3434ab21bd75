// Launch of an elementwise op.
#include "backends/opencl/ops/elementwise.hpp"

#include <bit>

namespace weft::opencl {

std::string float_literal(float value) { return fmt::format("as_float({}u)", std::bit_cast<std::uint32_t>(value)); }

Status plan_elements(StepPlan& plan, std::string_view op, const ElementwiseOperands& operands,
                     std::vector<std::string> defines) {
  const auto& [a, b, y, tile] = operands;
  const auto rows = row_shape(a.desc);
  if (!rows) return error_of(rows);
  const auto y_rows = row_shape(y.desc);
  if (!y_rows) return error_of(y_rows);
  Launch& launch = plan.launch(fmt::format("ops/{}/{}.cl", op, op), "elementwise");
  launch.defines = std::move(defines);
  launch.define("A_TYPE", name_of(a.desc.dtype)).define("B_TYPE", name_of(b.desc.dtype));
  launch.define("Y_TYPE", name_of(y.desc.dtype));
  launch.memory(a).memory(b).memory(y).size32(a.desc.shape.width()).size32(rows->dims[1]).size32(rows->dims[2]);
  for (const std::int64_t stride : rows->strides) launch.number(stride);
  for (const std::int64_t stride : broadcast_strides(a.desc, b.desc)) launch.number(stride);
  for (const std::int64_t stride : y_rows->strides) launch.number(stride);
  shape_elements(launch, tile, Size(a.desc.shape.width()), rows->rows);
  return {};
}

Status plan_elementwise(const StepRequest& request, StepPlan& plan, std::vector<std::string> defines) {
  const auto tile = element_tile(request);
  if (!tile) return error_of(tile);
  const Operand& a = request.inputs[0];
  const Operand& b = request.inputs.size() > 1 ? request.inputs[1] : a;
  return plan_elements(plan, name_of(request.step.call.op), {a, b, request.outputs[0], *tile}, std::move(defines));
}

}  // namespace weft::opencl
