// View with reordered dimensions.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y has dimension i of x at position j where order[j] = i. The innermost dimension stays innermost.
/// Facts: rows, width, x (type), dense (0/1).
struct Permute {
  static constexpr std::string_view name = "permute";
  static constexpr std::array inputs = {Port{"x", "any"}};
  static constexpr std::array outputs = {Port{"y", "x with dimensions reordered"}};
  [[nodiscard]] Result<View> view(const TensorDesc& in) const;
  std::array<std::uint8_t, max_rank> order{0, 1, 2, 3};

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Permute>> samples();
  friend bool operator==(const Permute&, const Permute&) = default;
};

}  // namespace weft
