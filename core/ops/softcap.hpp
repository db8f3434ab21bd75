// Soft limit of magnitudes.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y = cap * tanh(x / cap)
/// Facts: rows, width, x (type), dense (0/1).
struct Softcap {
  static constexpr std::string_view name = "softcap";
  static constexpr std::array inputs = {Port{"x", "[…, width] f32 or f16"}};
  static constexpr std::array outputs = {Port{"y", "shape of x"}};
  float cap = 30.0F;  ///< > 0

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Softcap>> samples();
  friend bool operator==(const Softcap&, const Softcap&) = default;
};

}  // namespace weft
