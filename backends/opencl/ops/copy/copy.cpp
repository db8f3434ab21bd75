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

Status plan_copy_rows(StepPlan& plan, const Operand& x, const Place& y, const TensorDesc& y_desc) {
  constexpr std::int64_t neighbours = 16;
  const auto from = row_shape(x.desc);
  if (!from) return error_of(from);
  const auto to = row_shape(y_desc);
  if (!to) return error_of(to);
  const DType type = x.desc.dtype;
  const std::int64_t unit = unit_bytes(type);
  Size units = x.desc.shape.width();
  units = units.pieces(info(type).block_elements);
  units.multiple = info(type).block_bytes / unit;
  Launch& launch = plan.launch("ops/copy/copy.cl", "copy_rows");
  launch.define("UNIT", unit == 4 ? "uint" : (unit == 2 ? "ushort" : "uchar"));
  launch.memory(x).memory(y).size32(units).size32(from->dims[1]).size32(from->dims[2]);
  for (const std::int64_t stride : from->strides) launch.number(row_bytes(type, stride));
  for (const std::int64_t stride : to->strides) launch.number(row_bytes(type, stride));
  // Whole blocks of 16 units, counted from the largest width: a shorter row leaves the last ones idle.
  const std::int64_t most = row_bytes(type, x.desc.width()) / unit;
  launch.global = {Size((most + neighbours - 1) / neighbours), from->rows, Size(1)};
  return {};
}

Status plan_copy(const StepRequest& request, StepPlan& plan) {
  const Operand& y = request.outputs[0];
  return plan_copy_rows(plan, request.inputs[0], y.place, y.desc);
}

}  // namespace weft::opencl
