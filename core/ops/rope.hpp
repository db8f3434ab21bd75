// Rotary position embedding.
#pragma once

#include "core/op.hpp"
#include "core/rope_spec.hpp"

namespace weft {

/// Rotates pairs of each head by the angle position * frequency(pair): (a, b) -> (a cos - b sin, a sin + b cos), with
/// frequencies and magnitude from `spec`. Elements outside the rotated dimensions pass through bit for bit.
/// Su et al., RoFormer, 2021.
/// Facts: tokens, heads, d, x (type), dense (0/1), pairing ("halves" or "interleaved"), rotated, pair_offset,
/// divisors (0/1), yarn (0/1).
struct Rope {
  static constexpr std::string_view name = "rope";
  static constexpr std::array inputs = {Port{"x", "[T, heads, d] f32 or f16"}, Port{"positions", "[T] i32"},
                                        Port{"divisors", "[pairs] f32", PortKind::optional}};
  static constexpr std::array outputs = {Port{"y", "[T, heads, d]"}};
  /// |a cos| + |b sin|: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;
  RopeSpec spec;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Rope>> samples();
  friend bool operator==(const Rope&, const Rope&) = default;
};

}  // namespace weft
