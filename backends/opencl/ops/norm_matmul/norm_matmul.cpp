// Plans of norm_matmul: the norm into scratch, then a matmul for each pair of weight and bias; or, for few tokens, the
// norm within the dot products and one launch for up to three weights of one type.
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"
#include "backends/opencl/ops/rms_norm/norm_plan.hpp"
#include "backends/opencl/weight_layout.hpp"

namespace weft::opencl {
namespace {

constexpr std::size_t first_weight = 2;
constexpr std::size_t most_weights = 3;

/// Outputs that one launch makes: neighbours whose weights and results are stored alike.
std::vector<std::size_t> launch_outputs(const StepRequest& request, std::size_t begin) {
  std::vector<std::size_t> members;
  for (std::size_t i = begin; i < request.outputs.size() && members.size() < most_weights; ++i) {
    const bool alike = stored_alike(request.inputs[first_weight + 2 * begin], request.inputs[first_weight + 2 * i]) &&
                       request.outputs[begin].desc.dtype == request.outputs[i].desc.dtype;
    if (!alike) break;
    members.push_back(i);
  }
  return members;
}

Status plan_together(const StepRequest& request, StepPlan& plan, const std::vector<std::size_t>& members,
                     const RowTile& tile) {
  const auto& op = request.op<NormMatmul>();
  const Operand none;
  const Operand& x = request.inputs[0];
  Launch& launch = plan.launch("ops/norm_matmul/normed_rows.cl", "norm_matmul");
  if (Status ok = define_weight(launch, request.inputs[first_weight + 2 * members.front()]); !ok) return ok;
  launch.define("X_TYPE", name_of(x.desc.dtype)).define("Y_TYPE", name_of(request.outputs[members.front()].desc.dtype));
  launch.define("LANES", tile.lanes).define("ROWS", tile.rows);
  launch.memory(x).memory(request.inputs[1]);
  const auto weight = [&](std::size_t i) -> const Operand& {
    return i < members.size() ? request.inputs[first_weight + 2 * members[i]] : none;
  };
  for (std::size_t i = 0; i < most_weights; ++i) {
    const bool there = i < members.size();
    launch.memory(weight(i)).memory(there ? request.inputs[first_weight + 1 + 2 * members[i]] : none);
    launch.memory(there ? request.outputs[members[i]] : none);
  }
  launch.number(static_cast<std::uint32_t>(x.desc.width())).number(x.desc.strides[0]);
  launch.number(op.eps).number(op.weight_offset);
  std::int64_t groups = 0;
  for (std::size_t i = 0; i < most_weights; ++i) {
    const bool there = i < members.size();
    const std::int64_t n = there ? weight(i).desc.rows() : 0;
    launch.number(static_cast<std::uint32_t>(n)).number(weight(i).plane_blocks);
    launch.number(there ? row_blocks(weight(i).desc) : std::int64_t{0});
    launch.number(there ? request.outputs[members[i]].desc.strides[0] : std::int64_t{0});
    groups += (n + tile.rows - 1) / tile.rows;
  }
  launch.global = {Size(groups * tile.lanes), Size(x.desc.shape[0]), Size(1)};
  launch.local[0] = static_cast<std::size_t>(tile.lanes);
  return {};
}

}  // namespace

Status plan_norm_matmul_normed(const StepRequest& request, StepPlan& plan) {
  const auto tile = row_tile(request);
  if (!tile) return error_of(tile);
  for (std::size_t begin = 0; begin < request.outputs.size();) {
    const std::vector<std::size_t> members = launch_outputs(request, begin);
    if (Status ok = plan_together(request, plan, members, *tile); !ok) return ok;
    begin += members.size();
  }
  return {};
}

Status plan_norm_matmul(const StepRequest& request, StepPlan& plan) {
  const auto& op = request.op<NormMatmul>();
  const Operand none;
  const Operand& x = request.inputs[0];
  const Operand h = plan.scratch(TensorDesc::dense(DType::f32, x.desc.shape));
  const NormAttributes norm{op.eps, op.weight_offset, request.parameter("NORM_LANES", 1)};
  if (Status ok = plan_norm_rows(plan, x, request.inputs[1], h, norm); !ok) return ok;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const MatmulOperands operands{.x = h,
                                  .w = request.inputs[first_weight + 2 * i],
                                  .bias = request.inputs[first_weight + 1 + 2 * i],
                                  .residual = none,
                                  .y = request.outputs[i]};
    if (Status ok = plan_matmul(request, plan, operands); !ok) return ok;
  }
  return {};
}

}  // namespace weft::opencl
