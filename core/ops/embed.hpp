// Row look-up: token embeddings, and the choice of rows whose logits are wanted.
#pragma once

#include "core/op.hpp"

namespace weft {

/// y[t, i] = scale * table[ids[t], i], read straight from the table's stored type. With a f32 or f16 table of
/// activations it gathers rows. ids must lie in [0, vocab): callers check before the step.
/// Facts: tokens, width, vocab, table and y (types), dense (0/1).
struct Embed {
  static constexpr std::string_view name = "embed";
  static constexpr std::array inputs = {Port{"ids", "[T] i32"},
                                        Port{"table", "[vocab, width] any float or quantised type"}};
  static constexpr std::array outputs = {Port{"y", "[T, width]"}};
  float scale = 1.0F;
  DType out_type = DType::f32;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Embed>> samples();
  friend bool operator==(const Embed&, const Embed&) = default;
};

}  // namespace weft
