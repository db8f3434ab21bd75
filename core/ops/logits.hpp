// Final norm, head, scale and soft-cap, and for greedy decoding the arg-max.
#pragma once

#include "core/op.hpp"

namespace weft {

/// l = softcap(scale * quant_matmul(rms_norm(x, norm_weight), head)); y = l, or argmax(l) as [R] i32 where `result` is
/// argmax, so that only ids come back to the host. scale 1 and softcap 0 leave those steps out.
/// Facts: tokens, k, n, weight (type), result ("values" or "argmax"), scale (0/1), softcap (0/1), x (type), dense
/// (0/1).
struct Logits {
  static constexpr std::string_view name = "logits";
  static constexpr std::array inputs = {Port{"x", "[R, K] f32 or f16"}, Port{"norm_weight", "[K] f32"},
                                        Port{"head", "[vocab, K] any weight type"}};
  static constexpr std::array outputs = {Port{"y", "[R, vocab] f32, or [R] i32"}};
  /// Sums of absolute products: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;
  enum class Yields : std::uint8_t { values, argmax };
  float eps = 1e-6F;
  float weight_offset = 0.0F;
  float scale = 1.0F;
  float softcap = 0.0F;
  Yields result = Yields::values;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Logits>> samples();
  friend bool operator==(const Logits&, const Logits&) = default;
};

}  // namespace weft
