// Index of the largest element.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y[r] = the lowest index of the largest x[r, i]; -1 where a row holds a NaN (the session turns it into an error).
/// Facts: rows, width, x (type), dense (0/1).
struct Argmax {
  static constexpr std::string_view name = "argmax";
  static constexpr std::array inputs = {Port{"x", "[R, width] f32 or f16"}};
  static constexpr std::array outputs = {Port{"y", "[R] i32"}};

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Argmax>> samples();
  friend bool operator==(const Argmax&, const Argmax&) = default;
};

}  // namespace weft
