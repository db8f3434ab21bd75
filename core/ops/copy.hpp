// A dense copy; across backends it is inserted by the scheduler only.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = x, made dense
/// Facts: rows, width, x (type), dense (0/1).
struct Copy {
  static constexpr std::string_view name = "copy";
  static constexpr std::array inputs = {Port{"x", "any"}};
  static constexpr std::array outputs = {Port{"y", "shape of x, dense"}};

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Copy>> samples();
  friend bool operator==(const Copy&, const Copy&) = default;
};

}  // namespace weft
