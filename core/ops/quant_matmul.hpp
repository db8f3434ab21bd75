// The matmul with weights.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y[t, n] = sum_k x[t, k] * w[n, k] + bias[n]; w is stored in any weight type, as rows of blocks along k.
/// Facts: tokens, k, n, weight (type), bias (0/1), x (type), dense (0/1).
struct QuantMatmul {
  static constexpr std::string_view name = "quant_matmul";
  static constexpr std::array inputs = {Port{"x", "[T, K] f32 or f16"}, Port{"w", "[N, K] any weight type"},
                                        Port{"bias", "[N] f32", PortKind::optional}};
  static constexpr std::array outputs = {Port{"y", "[T, N]"}};
  /// Sums of absolute products: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<QuantMatmul>> samples();
  friend bool operator==(const QuantMatmul&, const QuantMatmul&) = default;
};

}  // namespace weft
