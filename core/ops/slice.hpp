// View of a range of one dimension.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = x[…, begin : begin + length, …] along `axis`. On a quantised innermost axis, begin and length are multiples of
/// the block.
/// Facts: rows, width, x (type), dense (0/1).
struct Slice {
  static constexpr std::string_view name = "slice";
  static constexpr std::array inputs = {Port{"x", "any"}};
  static constexpr std::array outputs = {Port{"y", "x with `axis` of size length"}};
  [[nodiscard]] Result<View> view(const TensorDesc& in) const;
  std::int64_t axis = 0;
  std::int64_t begin = 0;
  std::int64_t length = 0;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Slice>> samples();
  friend bool operator==(const Slice&, const Slice&) = default;
};

}  // namespace weft
