// Residual add and the norm of its result, both kept.
#pragma once

#include "core/op.hpp"

namespace weft {

/// sum = a + b; y = rms_norm(sum, weight)
/// Facts: rows, width, x and b (types), dense (0/1).
struct AddRmsNorm {
  static constexpr std::string_view name = "add_rms_norm";
  static constexpr std::array inputs = {Port{"a", "[T, width] f32 or f16"}, Port{"b", "[T, width]"},
                                        Port{"weight", "[width] f32"}};
  static constexpr std::array outputs = {Port{"sum", "[T, width]"}, Port{"y", "[T, width]"}};
  float eps = 1e-6F;
  float weight_offset = 0.0F;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<AddRmsNorm>> samples();
  friend bool operator==(const AddRmsNorm&, const AddRmsNorm&) = default;
};

}  // namespace weft
