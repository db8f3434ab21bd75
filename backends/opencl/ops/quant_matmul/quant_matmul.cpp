// Plans of matmuls with weights.
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"
#include "backends/opencl/weight_layout.hpp"
#include "core/rules/rule_set.hpp"

namespace weft::opencl {

Result<RowTile> row_tile(const StepRequest& request) {
  constexpr std::int64_t most = 16;
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const auto rows = count_of(request, "ROWS", most);
  if (!rows) return error_of(rows);
  const auto tokens = count_of(request, "TOKENS", most);
  if (!tokens) return error_of(tokens);
  constexpr std::int64_t most_local_bytes = 16 * 1024;
  if (*lanes * *rows * *tokens * 4 > most_local_bytes) {
    return fail(ErrorCode::invalid_argument, "{}: LANES * ROWS * TOKENS is {}, wanted at most {}",
                request.step.selection.rule, *lanes * *rows * *tokens, most_local_bytes / 4);
  }
  return RowTile{*lanes, *rows, *tokens};
}

void shape_rows(Launch& launch, const RowTile& tile, const Size& tokens, std::int64_t n) {
  launch.define("LANES", tile.lanes).define("ROWS", tile.rows).define("TOKENS", tile.tokens);
  launch.global = {Size((n + tile.rows - 1) / tile.rows * tile.lanes), tokens.pieces(tile.tokens), Size(1)};
  launch.local[0] = static_cast<std::size_t>(tile.lanes);
}

namespace {

/// Weights, types and numbers in the order that both kernels take them.
Result<Launch*> add_matmul(StepPlan& plan, const MatmulOperands& operands, std::string_view source) {
  const auto& [x, w, bias, residual, y, scale, softcap] = operands;
  Launch& launch = plan.launch(source, "matmul");
  if (Status ok = define_weight(launch, w); !ok) return error_of(ok);
  launch.define("X_TYPE", name_of(x.desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype));
  launch.define("R_TYPE", name_of(residual.present() ? residual.desc.dtype : DType::f32));
  launch.memory(x).memory(w).memory(bias).memory(residual).memory(y);
  launch.size32(x.desc.shape[0]).number(static_cast<std::uint32_t>(w.desc.rows()));
  launch.number(static_cast<std::uint32_t>(x.desc.width())).number(x.desc.strides[0]);
  launch.number(w.plane_blocks).number(row_blocks(w.desc));
  launch.number(residual.desc.strides[0]).number(y.desc.strides[0]).number(scale).number(softcap);
  return &launch;
}

Status plan_tiles(const StepRequest& request, StepPlan& plan, const MatmulOperands& operands) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  if (*lanes != 64 && *lanes != 256) {
    return fail(ErrorCode::invalid_argument, "{}: LANES is {}, tiles want 64 or 256", request.step.selection.rule,
                *lanes);
  }
  const std::int64_t side = *lanes == 64 ? 8 : 16;
  const std::int64_t tile = 4 * side;
  const auto added = add_matmul(plan, operands, "ops/quant_matmul/tile.cl");
  if (!added) return error_of(added);
  Launch& launch = **added;
  launch.define("LANES", *lanes).define("SIDE", side);
  const std::int64_t n = operands.w.desc.rows();
  launch.global = {Size((n + tile - 1) / tile * *lanes), Size(operands.x.desc.shape[0]).pieces(tile), Size(1)};
  launch.local[0] = static_cast<std::size_t>(*lanes);
  return {};
}

}  // namespace

Status plan_matmul(const StepRequest& request, StepPlan& plan, const MatmulOperands& operands) {
  if (variant_of(request.step.selection.kernel) == "tile") return plan_tiles(request, plan, operands);
  const auto tile = row_tile(request);
  if (!tile) return error_of(tile);
  const auto added = add_matmul(plan, operands, "ops/quant_matmul/rows.cl");
  if (!added) return error_of(added);
  Launch& launch = **added;
  shape_rows(launch, *tile, Size(operands.x.desc.shape[0]), operands.w.desc.rows());
  return {};
}

Status plan_quant_matmul(const StepRequest& request, StepPlan& plan) {
  const Operand none;
  return plan_matmul(request, plan,
                     {.x = request.inputs[0],
                      .w = request.inputs[1],
                      .bias = request.inputs[2],
                      .residual = none,
                      .y = request.outputs[0]});
}

}  // namespace weft::opencl
