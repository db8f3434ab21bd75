// Plan of copy.
#include "backends/opencl/ops/copy/copy_rows.hpp"

namespace weft::opencl {
namespace {

/// The widest unit that every row start and length is a multiple of.
std::int64_t unit_bytes(DType type) {
  const std::int64_t block = info(type).block_bytes;
  if (block % 4 == 0) return 4;
  return block % 2 == 0 ? 2 : 1;
}

}  // namespace

Status plan_copy_rows(StepPlan& plan, const Operand& x, const CopyTarget& y) {
  const auto from = row_shape(x.desc);
  if (!from) return error_of(from);
  const auto to = row_shape(y.desc);
  if (!to) return error_of(to);
  const DType type = x.desc.dtype;
  const std::int64_t unit = unit_bytes(type);
  Size units = x.desc.shape.width();
  units = units.pieces(info(type).block_elements);
  units.multiple = info(type).block_bytes / unit;
  Launch& launch = plan.launch("ops/copy/copy.cl", "copy_rows");
  launch.define("UNIT", unit == 4 ? "uint" : (unit == 2 ? "ushort" : "uchar"));
  launch.memory(x).memory(y.place).size32(units).size32(from->dims[1]).size32(from->dims[2]);
  for (const std::int64_t stride : from->strides) launch.number(row_bytes(type, stride));
  for (const std::int64_t stride : to->strides) launch.number(row_bytes(type, stride));
  // Counted from the largest width: a shorter row leaves the last items idle.
  shape_elements(launch, y.tile, Size(row_bytes(type, x.desc.width()) / unit), from->rows);
  return {};
}

Status plan_copy(const StepRequest& request, StepPlan& plan) {
  const auto tile = element_tile(request);
  if (!tile) return error_of(tile);
  const Operand& y = request.outputs[0];
  return plan_copy_rows(plan, request.inputs[0], {y.place, y.desc, *tile});
}

}  // namespace weft::opencl
