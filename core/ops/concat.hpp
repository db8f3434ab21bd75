// Joining along the innermost dimension.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = the parts side by side: [T, w0 + w1 + …].
/// Facts: rows, width (of the result), x (type), dense (0/1), parts (how many).
struct Concat {
  static constexpr std::string_view name = "concat";
  static constexpr std::array inputs = {Port{"parts", "[T, w] f32 or f16", PortKind::repeated}};
  static constexpr std::array outputs = {Port{"y", "[T, sum of w]"}};

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Concat>> samples();
  friend bool operator==(const Concat&, const Concat&) = default;
};

}  // namespace weft
