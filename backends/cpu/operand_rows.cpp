// Row addresses and conversions at the border between stored types and f32.
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {

OperandRows::OperandRows(const TensorDesc& desc, std::byte* data, const SymbolValues& symbols)
    : data_(data), dtype_(desc.dtype), width_(desc.shape.width().value(symbols)), count_(1) {
  leading_ = desc.shape.rank() > 0 ? desc.shape.rank() - 1 : 0;
  for (std::size_t i = 0; i < leading_; ++i) {
    sizes_[i] = desc.shape[i].value(symbols);
    stride_bytes_[i] = row_bytes(desc.dtype, desc.strides[i]);
    count_ *= sizes_[i];
  }
}

std::byte* OperandRows::row_of_many(std::int64_t index) const {
  std::int64_t bytes = 0;
  for (std::size_t i = leading_; i-- > 0;) {
    bytes += (index % sizes_[i]) * stride_bytes_[i];
    index /= sizes_[i];
  }
  return data_ + bytes;
}

std::byte* OperandRows::broadcast_row(const OperandRows& like, std::int64_t index) const {
  std::int64_t bytes = 0;
  for (std::size_t i = like.leading_; i-- > 0;) {
    const std::int64_t at = index % like.sizes_[i];
    index /= like.sizes_[i];
    const std::size_t missing = like.leading_ - leading_;
    if (i >= missing && sizes_[i - missing] > 1) bytes += at * stride_bytes_[i - missing];
  }
  return data_ + bytes;
}

const float* OperandRows::load(const Loops& loops, const std::byte* row, std::int64_t begin, std::int64_t n,
                               float* buffer) const {
  if (dtype_ == DType::f32) return reinterpret_cast<const float*>(row) + begin;
  const auto* half = reinterpret_cast<const std::uint16_t*>(row) + begin;
  (dtype_ == DType::f16 ? loops.widen_f16 : loops.widen_bf16)(half, buffer, n);
  return buffer;
}

float* OperandRows::target(std::byte* row, std::int64_t begin, float* buffer) const {
  return dtype_ == DType::f32 ? reinterpret_cast<float*>(row) + begin : buffer;
}

void OperandRows::store(const Loops& loops, std::byte* row, std::int64_t begin, std::int64_t n,
                        const float* values) const {
  if (dtype_ == DType::f32) {
    auto* out = reinterpret_cast<float*>(row) + begin;
    if (out != values) loops.copy(values, out, n);
    return;
  }
  auto* half = reinterpret_cast<std::uint16_t*>(row) + begin;
  (dtype_ == DType::f16 ? loops.narrow_f16 : loops.narrow_bf16)(values, half, n);
}

}  // namespace weft::cpu
