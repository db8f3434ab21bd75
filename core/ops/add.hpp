// Elementwise sum.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = a + b; b is broadcast over leading dimensions that it lacks or that are 1.
/// Facts: rows, width, x and b (types), dense (0/1), broadcast (0/1).
struct Add {
  static constexpr std::string_view name = "add";
  static constexpr std::array inputs = {Port{"a", "[…, width] f32 or f16"}, Port{"b", "[width] up to […, width]"}};
  static constexpr std::array outputs = {Port{"y", "shape of a"}};

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Add>> samples();
  friend bool operator==(const Add&, const Add&) = default;
};

}  // namespace weft
