// Row access of reference implementations.
#include "core/ops/rows.hpp"

#include <cstring>

#include "core/half.hpp"

namespace weft {

std::vector<float> read_row(const ConstHostView& view, std::int64_t index) {
  std::vector<float> values(static_cast<std::size_t>(view.width()));
  load_row(view, index, values);
  return values;
}

std::vector<float> read_all(const ConstHostView& view) {
  if (!view.present()) return {};
  std::vector<float> values(static_cast<std::size_t>(view.desc.shape.elements()));
  const auto width = static_cast<std::size_t>(view.width());
  for (std::int64_t r = 0; r < view.rows(); ++r) {
    load_row(view, r, std::span(values).subspan(static_cast<std::size_t>(r) * width, width));
  }
  return values;
}

std::vector<double> read_all_double(const ConstHostView& view) {
  const std::vector<float> values = read_all(view);
  return {values.begin(), values.end()};
}

std::vector<std::int32_t> read_integers(const ConstHostView& view) {
  assert(view.desc.dtype == DType::i32);
  std::vector<std::int32_t> values(static_cast<std::size_t>(view.desc.shape.elements()));
  const auto width = static_cast<std::size_t>(view.width());
  for (std::int64_t r = 0; r < view.rows() && width > 0; ++r) {
    std::memcpy(values.data() + static_cast<std::size_t>(r) * width, view.row(r), width * sizeof(std::int32_t));
  }
  return values;
}

void write_element(const MutableHostView& view, std::byte* row, std::int64_t index, double value) {
  const auto rounded = static_cast<float>(value);
  if (view.desc.dtype == DType::f32) {
    std::memcpy(row + 4 * index, &rounded, sizeof rounded);
    return;
  }
  const std::uint16_t bits = view.desc.dtype == DType::f16 ? f32_to_f16(rounded) : f32_to_bf16(rounded);
  std::memcpy(row + 2 * index, &bits, sizeof bits);
}

void write_row(const MutableHostView& view, std::int64_t index, std::span<const double> values) {
  std::byte* row = view.row(index);
  for (std::size_t i = 0; i < values.size(); ++i) write_element(view, row, static_cast<std::int64_t>(i), values[i]);
}

void copy_elements(const ConstHostView& from, const MutableHostView& to) {
  const auto bytes = static_cast<std::size_t>(row_bytes(from.desc.dtype, from.width()));
  for (std::int64_t r = 0; r < from.rows() && bytes > 0; ++r) std::memmove(to.row(r), from.row(r), bytes);
}

Scratch::Scratch(const Shape& shape)
    : desc_(TensorDesc::dense(DType::f32, shape)), values_(static_cast<std::size_t>(shape.elements())) {}

std::int64_t broadcast_row(const Shape& a, const Shape& b, std::int64_t row) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  for (std::size_t from_end = 2; from_end <= a.rank(); ++from_end) {
    const std::int64_t size = a[a.rank() - from_end].max;
    const std::int64_t index = row % size;
    row /= size;
    if (from_end > b.rank()) continue;
    const std::int64_t own = b[b.rank() - from_end].max;
    if (own > 1) result += index * stride;
    stride *= own;
  }
  return result;
}

}  // namespace weft
