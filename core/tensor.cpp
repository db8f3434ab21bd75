// Shape arithmetic and row access of host views.
#include "core/tensor.hpp"

#include <fmt/core.h>

#include <cstring>

#include "core/half.hpp"
#include "core/quant/block_format.hpp"

namespace weft {

std::string_view name_of(Symbol symbol) {
  switch (symbol) {
    case Symbol::none: return "none";
    case Symbol::tokens: return "tokens";
    case Symbol::sequences: return "sequences";
    case Symbol::outputs: return "outputs";
    case Symbol::kv_len: return "kv_len";
    case Symbol::kv_rows: return "kv_rows";
  }
  return "none";
}

std::int64_t Shape::elements() const {
  std::int64_t product = 1;
  for (const Dim& d : dims()) product *= d.max;
  return product;
}

std::int64_t Shape::rows() const {
  std::int64_t product = 1;
  for (std::size_t i = 0; i + 1 < rank_; ++i) product *= dims_[i].max;
  return product;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    if (shape[i].symbol != Symbol::none) text += fmt::format("{}<=", name_of(shape[i].symbol));
    text += fmt::format("{}", shape[i].max);
  }
  return text + "]";
}

TensorDesc TensorDesc::dense(DType dtype, const Shape& shape) {
  TensorDesc desc{dtype, shape, {}};
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    desc.strides[i] = stride;
    stride *= shape[i].max;
  }
  return desc;
}

bool TensorDesc::is_dense() const {
  std::int64_t stride = 1;
  for (std::size_t i = shape.rank(); i-- > 0;) {
    if (shape[i].max > 1 && strides[i] != stride) return false;
    stride *= shape[i].max;
  }
  return true;
}

std::size_t TensorDesc::bytes() const {
  if (!present() || shape.elements() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i + 1 < shape.rank(); ++i) last += (shape[i].max - 1) * strides[i];
  return static_cast<std::size_t>(row_bytes(dtype, last) + row_bytes(dtype, width()));
}

TensorDesc TensorDesc::at(const SymbolValues& symbols) const {
  TensorDesc fixed = *this;
  for (std::size_t i = 0; i < shape.rank(); ++i) fixed.shape[i] = Dim(shape[i].value(symbols));
  return fixed;
}

std::string to_string(const TensorDesc& desc) {
  if (!desc.present()) return "absent";
  return fmt::format("{} {}{}", name_of(desc.dtype), to_string(desc.shape), desc.is_dense() ? "" : " strided");
}

template <class Byte>
Byte* BasicHostView<Byte>::row(std::int64_t index) const {
  std::int64_t elements = 0;
  for (std::size_t i = desc.shape.rank() > 0 ? desc.shape.rank() - 1 : 0; i-- > 0;) {
    const std::int64_t size = desc.shape[i].max;
    elements += (index % size) * desc.strides[i];
    index /= size;
  }
  return data + row_bytes(desc.dtype, elements);
}
template struct BasicHostView<const std::byte>;
template struct BasicHostView<std::byte>;

void load_row(const ConstHostView& view, std::int64_t index, std::span<float> out) {
  assert(static_cast<std::int64_t>(out.size()) == view.width());
  decode_row(view.desc.dtype, view.row(index), out);
}

void store_row(const MutableHostView& view, std::int64_t index, std::span<const float> values) {
  assert(static_cast<std::int64_t>(values.size()) == view.width());
  std::byte* row = view.row(index);
  if (view.desc.dtype == DType::f32) {
    std::memcpy(row, values.data(), values.size_bytes());
    return;
  }
  assert(view.desc.dtype == DType::f16 || view.desc.dtype == DType::bf16);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = view.desc.dtype == DType::f16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
    std::memcpy(row + 2 * i, &bits, 2);
  }
}

}  // namespace weft
