// The first half of a gated feed-forward block.
#pragma once

#include "core/op.hpp"
#include "core/ops/activation.hpp"

namespace weft {

/// h = rms_norm(x, norm_weight); y = act(quant_matmul(h, gate, gate_bias)) * quant_matmul(h, up, up_bias)
/// Facts: tokens, k, n, biases (how many), weight (the common type, or "mixed"), weight_set (all types), activation,
/// x (type), dense (0/1).
struct NormMatmulGlu {
  static constexpr std::string_view name = "norm_matmul_glu";
  static constexpr std::array inputs = {
      Port{"x", "[T, K] f32 or f16"},         Port{"norm_weight", "[K] f32"},
      Port{"gate", "[F, K] any weight type"}, Port{"gate_bias", "[F] f32", PortKind::optional},
      Port{"up", "[F, K] any weight type"},   Port{"up_bias", "[F] f32", PortKind::optional}};
  static constexpr std::array outputs = {Port{"y", "[T, F]"}};
  /// Sums of absolute products: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;
  float eps = 1e-6F;
  float weight_offset = 0.0F;
  ActivationKind activation = ActivationKind::silu;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<NormMatmulGlu>> samples();
  friend bool operator==(const NormMatmulGlu&, const NormMatmulGlu&) = default;
};

}  // namespace weft
