// Access to operands that ops' reference functions share: rows as f32, whole vectors, integers, scratch tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor.hpp"

namespace weft {

/// Row `index` as f32.
[[nodiscard]] std::vector<float> read_row(const ConstHostView& view, std::int64_t index);
/// All elements in order as f32; empty for an absent operand.
[[nodiscard]] std::vector<float> read_all(const ConstHostView& view);
/// All elements in order as f64; empty for an absent operand.
[[nodiscard]] std::vector<double> read_all_double(const ConstHostView& view);
/// All elements of an i32 operand in order.
[[nodiscard]] std::vector<std::int32_t> read_integers(const ConstHostView& view);
/// Rounds `value` to f32 and then to the row's type (f32, f16 or bf16).
void write_element(const MutableHostView& view, std::byte* row, std::int64_t index, double value);
/// Rounds each value to f32 and then to the row's type.
void write_row(const MutableHostView& view, std::int64_t index, std::span<const double> values);
/// Copies stored elements, whatever their type; both views have the same type and shape.
void copy_elements(const ConstHostView& from, const MutableHostView& to);

/// A dense f32 tensor for an intermediate result of a fused op.
class Scratch {
 public:
  explicit Scratch(const Shape& shape);
  [[nodiscard]] MutableHostView view() { return {desc_, reinterpret_cast<std::byte*>(values_.data())}; }
  [[nodiscard]] ConstHostView view() const { return {desc_, reinterpret_cast<const std::byte*>(values_.data())}; }
  [[nodiscard]] ConstHostView input() const { return view(); }
  [[nodiscard]] std::span<const float> values() const { return values_; }

 private:
  TensorDesc desc_;
  std::vector<float> values_;
};

/// The row of `b` that meets row `row` of a tensor of shape `a`, where b is broadcast over leading dimensions.
[[nodiscard]] std::int64_t broadcast_row(const Shape& a, const Shape& b, std::int64_t row);

}  // namespace weft
