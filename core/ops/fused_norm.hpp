// What the fused ops that start with a norm share. The normed rows are an intermediate result in f32; kernels may keep
// it in x's type.
#pragma once

#include "core/ops/rms_norm.hpp"
#include "core/ops/rows.hpp"

namespace weft {

[[nodiscard]] Scratch normed(const RmsNorm& norm, const ConstHostView& x, const ConstHostView& weight);
/// With the attributes eps and weight_offset of a fused op.
template <class T>
[[nodiscard]] Scratch normed(const T& op, const ConstHostView& x, const ConstHostView& weight) {
  return normed(RmsNorm{.eps = op.eps, .weight_offset = op.weight_offset}, x, weight);
}

/// Reading x and the norm's weight, and the arithmetic of the norm.
[[nodiscard]] Cost norm_cost(const TensorDesc& x, const TensorDesc& weight);
void add_cost(Cost& total, const Cost& part);

/// `weight` (the common type or "mixed") and `weight_set` (all types).
void set_weight_facts(Facts& facts, std::span<const DType> types);

/// A dot product with normed rows of x: the norm's own relative error comes on top.
[[nodiscard]] Tolerance normed_dot_tolerance(const TensorDesc& x, DType out, ActivationPrecision precision);

}  // namespace weft
