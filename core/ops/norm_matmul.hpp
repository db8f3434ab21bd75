// rms_norm, then one or several matmuls of the result.
#pragma once

#include "core/op.hpp"

namespace weft {

/// h = rms_norm(x, norm_weight); y_i = quant_matmul(h, w_i, bias_i). Operands come in pairs (w, bias), a missing bias
/// is absent; one output a pair. q, k, v of one input are one such op.
/// Facts: tokens, k, n (of all weights together), weights (how many), biases (how many), weight (the common type, or
/// "mixed"), weight_set (all types), x (type), dense (0/1).
struct NormMatmul {
  static constexpr std::string_view name = "norm_matmul";
  static constexpr std::array inputs = {
      Port{"x", "[T, K] f32 or f16"}, Port{"norm_weight", "[K] f32"},
      Port{"w, bias", "[N, K] any weight type, [N] f32 or absent, in pairs", PortKind::repeated}};
  static constexpr std::array outputs = {Port{"y", "[T, N] for each pair", PortKind::repeated}};
  /// Sums of absolute products: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;
  float eps = 1e-6F;
  float weight_offset = 0.0F;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<NormMatmul>> samples();
  friend bool operator==(const NormMatmul&, const NormMatmul&) = default;
};

}  // namespace weft
