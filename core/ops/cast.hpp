// Change of type.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = x rounded to `to` (round to nearest, ties to even).
/// Facts: rows, width, x and to (types), dense (0/1).
struct Cast {
  static constexpr std::string_view name = "cast";
  static constexpr std::array inputs = {Port{"x", "[…, width] f32, f16 or bf16"}};
  static constexpr std::array outputs = {Port{"y", "shape of x"}};
  DType to = DType::f32;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Cast>> samples();
  friend bool operator==(const Cast&, const Cast&) = default;
};

}  // namespace weft
