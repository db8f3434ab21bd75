// Rows of an operand of any rank and stride, read and written as f32.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/loops/loops.hpp"
#include "core/tensor.hpp"

namespace weft::cpu {

/// An operand whose symbols have values: where its rows lie.
class OperandRows {
 public:
  OperandRows() = default;
  OperandRows(const TensorDesc& desc, std::byte* data, const SymbolValues& symbols);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] bool present() const { return data_ != nullptr; }
  /// Size of leading dimension `axis`, counted from the outermost.
  [[nodiscard]] std::int64_t size(std::size_t axis) const { return sizes_[axis]; }
  [[nodiscard]] std::size_t leading() const { return leading_; }
  /// First byte of row `index`, counted over all leading dimensions in order.
  [[nodiscard]] std::byte* row(std::int64_t index) const {
    return leading_ == 1 ? data_ + index * stride_bytes_[0] : row_of_many(index);
  }
  /// The same row, where leading dimensions of size 1 or missing ones repeat: `like` has the full shape.
  [[nodiscard]] std::byte* broadcast_row(const OperandRows& like, std::int64_t index) const;
  /// Elements [begin, begin + n) of a row as f32: in place where they are f32, else widened into `buffer`.
  [[nodiscard]] const float* load(const Loops& loops, const std::byte* row, std::int64_t begin, std::int64_t n,
                                  float* buffer) const;
  /// Where to compute elements [begin, begin + n) of a row: in place, or in `buffer`, which store() then rounds.
  [[nodiscard]] float* target(std::byte* row, std::int64_t begin, float* buffer) const;
  void store(const Loops& loops, std::byte* row, std::int64_t begin, std::int64_t n, const float* values) const;

 private:
  [[nodiscard]] std::byte* row_of_many(std::int64_t index) const;

  std::byte* data_ = nullptr;
  DType dtype_ = DType::none;
  std::int64_t width_ = 0;
  std::int64_t count_ = 0;
  std::size_t leading_ = 0;
  std::array<std::int64_t, max_rank> sizes_{};
  std::array<std::int64_t, max_rank> stride_bytes_{};
};

}  // namespace weft::cpu
