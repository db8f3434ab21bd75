// Root-mean-square norm of rows.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y[t, i] = x[t, i] * rsqrt(mean_i(x[t, i]^2) + eps) * (weight[i] + weight_offset); without a weight the last factor
/// is 1. Zhang and Sennrich, Root Mean Square Layer Normalization, 2019.
/// Facts: rows, width, x (type), dense (0/1), weight (0/1).
struct RmsNorm {
  static constexpr std::string_view name = "rms_norm";
  static constexpr std::array inputs = {Port{"x", "[…, width] f32 or f16"},
                                        Port{"weight", "[width] f32", PortKind::optional}};
  static constexpr std::array outputs = {Port{"y", "[…, width]"}};
  float eps = 1e-6F;           ///< added to the mean square, not to its root
  float weight_offset = 0.0F;  ///< 1 for sources that store weight - 1

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<RmsNorm>> samples();
  friend bool operator==(const RmsNorm&, const RmsNorm&) = default;
};

}  // namespace weft
