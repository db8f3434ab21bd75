// Matmul with the residual added.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = quant_matmul(x, w, bias) + residual
/// Facts: those of quant_matmul, and residual (type).
struct MatmulAdd {
  static constexpr std::string_view name = "matmul_add";
  static constexpr std::array inputs = {Port{"x", "[T, K] f32 or f16"}, Port{"w", "[N, K] any weight type"},
                                        Port{"bias", "[N] f32", PortKind::optional}, Port{"residual", "[T, N]"}};
  static constexpr std::array outputs = {Port{"y", "[T, N]"}};
  /// Sums of absolute products: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<MatmulAdd>> samples();
  friend bool operator==(const MatmulAdd&, const MatmulAdd&) = default;
};

}  // namespace weft
