// Gated linear unit.
#pragma once

#include "core/op.hpp"
#include "core/ops/activation.hpp"

namespace weft {

/// y = act(gate) * up. Shazeer, GLU Variants Improve Transformer, 2020.
/// Facts: rows, width, x and up (types), dense (0/1), activation.
struct Glu {
  static constexpr std::string_view name = "glu";
  static constexpr std::array inputs = {Port{"gate", "[…, F] f32 or f16"}, Port{"up", "[…, F]"}};
  static constexpr std::array outputs = {Port{"y", "[…, F]"}};
  ActivationKind activation = ActivationKind::silu;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Glu>> samples();
  friend bool operator==(const Glu&, const Glu&) = default;
};

}  // namespace weft
