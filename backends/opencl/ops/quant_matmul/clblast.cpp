// Plan of the matmul by CLBlast: operands become dense f32 where they aren't, then one GEMM, then the bias.
#include "backends/opencl/ops/elementwise.hpp"
#include "backends/opencl/ops/quant_matmul/matmul_plan.hpp"

namespace weft::opencl {
namespace {

constexpr ElementTile elements{.lanes = 1, .neighbours = 64};

/// The operand as f32: itself, or a copy in scratch.
Result<Operand> as_f32(StepPlan& plan, const Operand& operand) {
  if (operand.desc.dtype == DType::f32) return operand;
  Operand wide = plan.scratch(TensorDesc::dense(DType::f32, operand.desc.shape));
  if (Status ok = plan_elements(plan, "cast", {operand, operand, wide, elements}, {}); !ok) return error_of(ok);
  return wide;
}

}  // namespace

Status plan_quant_matmul_clblast(const StepRequest& request, StepPlan& plan) {
  const Operand& y = request.outputs[0];
  const Operand& bias = request.inputs[2];
  const auto x = as_f32(plan, request.inputs[0]);
  if (!x) return error_of(x);
  const auto w = as_f32(plan, request.inputs[1]);
  if (!w) return error_of(w);
  const bool narrow = y.desc.dtype != DType::f32;
  const Operand sums = narrow ? plan.scratch(TensorDesc::dense(DType::f32, y.desc.shape)) : y;
  GemmCall gemm{.a = x->place, .b = w->place, .c = sums.place, .m = Size(x->desc.shape[0])};
  gemm.most_m = x->desc.shape[0].max;
  gemm.n = w->desc.rows();
  gemm.k = x->desc.width();
  gemm.a_stride = x->desc.strides[0];
  gemm.b_stride = w->desc.strides[0];
  gemm.c_stride = sums.desc.strides[0];
  plan.actions.emplace_back(gemm);
  if (bias.present()) return plan_elements(plan, "add", {sums, bias, y, elements}, {});
  if (narrow) return plan_elements(plan, "cast", {sums, sums, y, elements}, {});
  return {};
}

}  // namespace weft::opencl
