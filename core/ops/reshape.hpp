// View with other dimensions.
#pragma once

#include "core/op.hpp"

namespace weft {

/// Same elements in the same order as `shape`. The leading dimension (tokens) may stay symbolic; x must be dense,
/// except that leading dimensions which stay as they are may be strided.
/// Facts: rows, width, x (type), dense (0/1).
struct Reshape {
  static constexpr std::string_view name = "reshape";
  static constexpr std::array inputs = {Port{"x", "any"}};
  static constexpr std::array outputs = {Port{"y", "shape"}};
  [[nodiscard]] Result<View> view(const TensorDesc& in) const;
  Shape shape;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Reshape>> samples();
  friend bool operator==(const Reshape&, const Reshape&) = default;
};

}  // namespace weft
