// Shapes with symbolic dimensions, tensor descriptors, and views of tensors in host memory.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dtype.hpp"

namespace weft {

/// A dimension that changes from step to step. A plan is compiled for the maximum, a step brings the value.
enum class Symbol : std::uint8_t {
  none,
  tokens,     ///< tokens of the step, of all sequences together
  sequences,  ///< sequences of the step
  outputs,    ///< tokens of the step whose logits are wanted
  kv_len,     ///< longest sequence after the step's tokens are appended
  kv_rows,    ///< rows that the KV cache buffers hold now
};
inline constexpr std::size_t symbol_count = 6;
[[nodiscard]] std::string_view name_of(Symbol symbol);

/// What each symbol stands for in one step. `none` is never read.
class SymbolValues {
 public:
  [[nodiscard]] std::int64_t operator[](Symbol symbol) const { return values_[static_cast<std::size_t>(symbol)]; }
  SymbolValues& set(Symbol symbol, std::int64_t value) {
    values_[static_cast<std::size_t>(symbol)] = value;
    return *this;
  }

 private:
  std::array<std::int64_t, symbol_count> values_{};
};

/// A number, or a symbol with its maximum.
struct Dim {
  std::int64_t max = 0;
  Symbol symbol = Symbol::none;

  constexpr Dim() = default;
  constexpr Dim(std::int64_t size, Symbol named = Symbol::none) : max(size), symbol(named) {}  // NOLINT: sizes are dims
  [[nodiscard]] std::int64_t value(const SymbolValues& symbols) const {
    return symbol == Symbol::none ? max : symbols[symbol];
  }
  friend bool operator==(const Dim&, const Dim&) = default;
};

inline constexpr std::size_t max_rank = 4;

/// Up to four dimensions, outermost first.
class Shape {
 public:
  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<Dim> dims) : rank_(dims.size()) {
    assert(dims.size() <= max_rank);
    std::size_t i = 0;
    for (const Dim& d : dims) dims_[i++] = d;
  }
  [[nodiscard]] constexpr std::size_t rank() const { return rank_; }
  [[nodiscard]] constexpr const Dim& operator[](std::size_t i) const { return dims_[i]; }
  [[nodiscard]] constexpr Dim& operator[](std::size_t i) { return dims_[i]; }
  [[nodiscard]] std::span<const Dim> dims() const { return {dims_.data(), rank_}; }
  /// The innermost dimension; 1 for a scalar.
  [[nodiscard]] Dim width() const { return rank_ == 0 ? Dim(1) : dims_[rank_ - 1]; }
  void append(Dim dim) {
    assert(rank_ < max_rank);
    dims_[rank_++] = dim;
  }
  /// Product of all dimensions at their maximum.
  [[nodiscard]] std::int64_t elements() const;
  /// Product of all dimensions but the innermost, at their maximum.
  [[nodiscard]] std::int64_t rows() const;
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<Dim, max_rank> dims_{};
  std::size_t rank_ = 0;
};

[[nodiscard]] std::string to_string(const Shape& shape);  ///< "[tokens<=512, 576]"

/// Type, shape and strides of a tensor. Strides count elements; the innermost stride is always 1, so a row is
/// contiguous (and, for a quantised type, starts at a block).
struct TensorDesc {
  DType dtype = DType::none;
  Shape shape;
  std::array<std::int64_t, max_rank> strides{};

  [[nodiscard]] static TensorDesc dense(DType dtype, const Shape& shape);
  [[nodiscard]] static TensorDesc absent() { return {}; }
  [[nodiscard]] bool present() const { return dtype != DType::none; }
  [[nodiscard]] bool is_dense() const;
  [[nodiscard]] std::int64_t width() const { return shape.width().max; }
  [[nodiscard]] std::int64_t rows() const { return shape.rows(); }
  /// Bytes from the first to one past the last element, at the maximum of each symbol.
  [[nodiscard]] std::size_t bytes() const;
  /// The same descriptor with every symbol replaced by its value.
  [[nodiscard]] TensorDesc at(const SymbolValues& symbols) const;
  friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

[[nodiscard]] std::string to_string(const TensorDesc& desc);  ///< "f32 [tokens<=512, 576]"

using TensorDescs = std::vector<TensorDesc>;
using TensorSpan = std::span<const TensorDesc>;

/// A tensor in host memory that someone else owns. `desc` has numbers only, no symbols. Absent operands have no data.
template <class Byte>
struct BasicHostView {
  TensorDesc desc;
  Byte* data = nullptr;

  [[nodiscard]] bool present() const { return desc.present(); }
  [[nodiscard]] std::int64_t rows() const { return desc.rows(); }
  [[nodiscard]] std::int64_t width() const { return desc.width(); }
  /// First byte of row `index`, counted over all leading dimensions in order.
  [[nodiscard]] Byte* row(std::int64_t index) const;
  /// Elements as they are stored; `desc` must be dense and of a type of that size.
  template <class T>
  [[nodiscard]] auto as() const {
    using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    assert(desc.is_dense());
    return std::span<Element>(reinterpret_cast<Element*>(data), static_cast<std::size_t>(desc.shape.elements()));
  }
};
using ConstHostView = BasicHostView<const std::byte>;
using MutableHostView = BasicHostView<std::byte>;
using ConstHostViews = std::span<const ConstHostView>;
using MutableHostViews = std::span<const MutableHostView>;

/// Reads row `index` of any float or quantised tensor as f32; `out` has the row's width.
void load_row(const ConstHostView& view, std::int64_t index, std::span<float> out);
/// Rounds f32 values to the row's type (f32, f16 or bf16).
void store_row(const MutableHostView& view, std::int64_t index, std::span<const float> values);
[[nodiscard]] inline ConstHostView as_const(const MutableHostView& view) { return {view.desc, view.data}; }

/// A named constant (a weight): bytes in host memory that `owner` keeps alive.
struct HostTensor {
  std::string name;
  TensorDesc desc;
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;
};

}  // namespace weft
