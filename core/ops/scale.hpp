// Multiplication by a constant.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = factor * x
/// Facts: rows, width, x (type), dense (0/1).
struct Scale {
  static constexpr std::string_view name = "scale";
  static constexpr std::array inputs = {Port{"x", "[…, width] f32 or f16"}};
  static constexpr std::array outputs = {Port{"y", "shape of x"}};
  float factor = 1.0F;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Scale>> samples();
  friend bool operator==(const Scale&, const Scale&) = default;
};

}  // namespace weft
