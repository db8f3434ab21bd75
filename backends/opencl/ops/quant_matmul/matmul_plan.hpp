// Matmuls with weights as parts of op plans.
#pragma once

#include "backends/opencl/ops/plans.hpp"

namespace weft::opencl {

/// y = softcap(scale * (x * w^T + bias)) + residual
struct MatmulOperands {
  const Operand& x;
  const Operand& w;
  const Operand& bias;
  const Operand& residual;
  const Operand& y;
  float scale = 1.0F;
  float softcap = 0.0F;
};
/// By ops/quant_matmul/rows.cl, with the rule's LANES, ROWS and TOKENS, or by tile.cl with its LANES, as the selected
/// variant says.
[[nodiscard]] Status plan_matmul(const StepRequest& request, StepPlan& plan, const MatmulOperands& operands);

/// What row kernels are made with.
struct RowTile {
  std::int64_t lanes = 1, rows = 1, tokens = 1;
};
[[nodiscard]] Result<RowTile> row_tile(const StepRequest& request);
/// Sets defines, global and local sizes for a [tokens, n] result.
void shape_rows(Launch& launch, const RowTile& tile, const Size& tokens, std::int64_t n);

}  // namespace weft::opencl
