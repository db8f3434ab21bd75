// The kernels of this backend, and what op plans share.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "backends/opencl/launch.hpp"
#include "core/result.hpp"

namespace weft::opencl {

/// Adds a step's launches to `plan`. Errors: unsupported (what the kernel can't do and no fact says), invalid_argument
/// (a rule's parameter is out of range).
using PlanFunction = Status (*)(const StepRequest& request, StepPlan& plan);

struct KernelEntry {
  std::string_view op;
  std::string_view variant;
  PlanFunction plan;
};
/// Every kernel variant of every op.
[[nodiscard]] std::span<const KernelEntry> kernel_entries();

Status plan_activation(const StepRequest& request, StepPlan& plan);
Status plan_add(const StepRequest& request, StepPlan& plan);
Status plan_add_rms_norm(const StepRequest& request, StepPlan& plan);
Status plan_argmax(const StepRequest& request, StepPlan& plan);
Status plan_attention_lanes(const StepRequest& request, StepPlan& plan);
Status plan_attention_per_item(const StepRequest& request, StepPlan& plan);
Status plan_cast(const StepRequest& request, StepPlan& plan);
Status plan_concat(const StepRequest& request, StepPlan& plan);
Status plan_copy(const StepRequest& request, StepPlan& plan);
Status plan_embed(const StepRequest& request, StepPlan& plan);
Status plan_glu(const StepRequest& request, StepPlan& plan);
Status plan_kv_append(const StepRequest& request, StepPlan& plan);
Status plan_logits(const StepRequest& request, StepPlan& plan);
Status plan_matmul_add(const StepRequest& request, StepPlan& plan);
Status plan_mul(const StepRequest& request, StepPlan& plan);
Status plan_norm_matmul(const StepRequest& request, StepPlan& plan);
Status plan_norm_matmul_glu_normed(const StepRequest& request, StepPlan& plan);
Status plan_norm_matmul_normed(const StepRequest& request, StepPlan& plan);
Status plan_norm_matmul_glu(const StepRequest& request, StepPlan& plan);
Status plan_qk_norm_rope_append(const StepRequest& request, StepPlan& plan);
Status plan_quant_matmul_clblast(const StepRequest& request, StepPlan& plan);
Status plan_quant_matmul(const StepRequest& request, StepPlan& plan);
Status plan_rms_norm(const StepRequest& request, StepPlan& plan);
Status plan_rope(const StepRequest& request, StepPlan& plan);
Status plan_scale(const StepRequest& request, StepPlan& plan);
Status plan_softcap(const StepRequest& request, StepPlan& plan);

/// A tensor's rows as kernels walk them: three leading dimensions, missing ones of size 1 and stride 0.
struct RowShape {
  std::array<Size, 3> dims{Size(1), Size(1), Size(1)};
  std::array<std::int64_t, 3> strides{};
  Size rows = Size(1);
};
/// Errors: unsupported where two leading dimensions are symbols.
[[nodiscard]] Result<RowShape> row_shape(const TensorDesc& desc);
/// `strides` of `b` for the rows of `a`: 0 where b is broadcast.
[[nodiscard]] std::array<std::int64_t, 3> broadcast_strides(const TensorDesc& a, const TensorDesc& b);

/// How element kernels share out a row: work-items of a group, and elements that each makes.
struct ElementTile {
  std::int64_t lanes = 1, neighbours = 16;
};
/// The rule's LANES and NEIGHBOURS.
[[nodiscard]] Result<ElementTile> element_tile(const StepRequest& request);
/// Sets defines, global and local sizes for `rows` rows of `width`.
void shape_elements(Launch& launch, const ElementTile& tile, const Size& width, const Size& rows);

/// The rule's LANES: work-items that share a row. A power of two up to 256, or invalid_argument.
[[nodiscard]] Result<std::int64_t> lanes_of(const StepRequest& request);
/// The rule's parameter, from 1 to `most`.
[[nodiscard]] Result<std::int64_t> count_of(const StepRequest& request, std::string_view name, std::int64_t most);

}  // namespace weft::opencl
