// The inner loops of all matmuls with weights, built once for each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "backends/cpu/panel.hpp"
#include "core/dtype.hpp"

namespace weft::cpu {

/// Activations rounded to int8, for tiles of T tokens: for each block of 32 columns int8 codes [T][32], f32 scale [T]
/// (max|x| / 127), i32 sum of codes [T], f32 scale * sum [T], i32 sums of columns 0…15 and 16…31 [2][T]. Sums are
/// integers or f32: in f16 they would overflow. A block that holds NaN or Inf has a NaN scale.
inline constexpr std::int64_t activation_block_bytes = 52;  ///< of one token

/// Bytes of one token's activations; tile by tile, so a tile that starts at token t lies t times this from the start.
[[nodiscard]] constexpr std::int64_t activation_bytes(std::int64_t k) {
  return k / block_columns * activation_block_bytes;
}

/// A block whose largest magnitude is more than this times its mean one keeps a second set of codes: what the first set
/// left. Without it one outlier takes the precision of its 31 neighbours (models have such blocks at their first
/// token). Measured: below 2 % of a prompt's time at 16, 10 % at 8.
inline constexpr float largest_crest = 16.0F;

/// One token's second codes: their number, which blocks they belong to, and the codes as tiles of one token.
[[nodiscard]] constexpr std::int64_t remainder_bytes(std::int64_t k) {
  const std::int64_t blocks = k / block_columns;
  return (4 + blocks * (4 + activation_block_bytes) + 63) / 64 * 64;
}
template <class Byte>
struct BasicRemainderView {
  template <class T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  Like<std::int32_t>* count;

  explicit BasicRemainderView(Byte* at) : count(reinterpret_cast<Like<std::int32_t>*>(at)) {}
  // A list entry is the block's number and its codes, so that an empty list touches one line of memory.
  [[nodiscard]] Byte* entry(std::int32_t i) const {
    return reinterpret_cast<Byte*>(count) + 4 + i * (4 + activation_block_bytes);
  }
  [[nodiscard]] Like<std::int32_t>* block(std::int32_t i) const {
    return reinterpret_cast<Like<std::int32_t>*>(entry(i));
  }
  [[nodiscard]] Byte* codes(std::int32_t i) const { return entry(i) + 4; }
};

using RemainderView = BasicRemainderView<std::byte>;
using ConstRemainderView = BasicRemainderView<const std::byte>;

inline constexpr std::size_t dtype_count = static_cast<std::size_t>(DType::state) + 1;
inline constexpr std::size_t tile_kinds = 4;

/// out[t][row] for the 16 rows of a panel and the tokens of one tile.
using Int8PanelDot = void (*)(const std::byte* panel, const PanelSizes& sizes, const std::byte* activations,
                              float* out);
/// Adds a token's second codes to its 16 results.
using Int8RemainderDot = void (*)(const std::byte* panel, const PanelSizes& sizes, const std::byte* remainders,
                                  float* out);
/// The dot of a tile from f32 activations, `stride` elements apart.
using FullPanelDot = void (*)(const std::byte* panel, const PanelSizes& sizes, const float* x, std::int64_t stride,
                              float* out);

/// Up to 16 rows of a float weight.
struct FloatRows {
  const std::byte* data = nullptr;
  std::int64_t stride_bytes = 0;
  std::int64_t rows = 0;
  std::int64_t k = 0;
};
using RowsDot = void (*)(const FloatRows& weight, const float* x, std::int64_t stride, float* out);

struct MatmulCore {
  std::string_view isa;
  std::array<int, tile_kinds> tiles{};  ///< tokens of an int8 tile, falling, the last is 1
  std::array<int, 2> full_tiles{};      ///< tokens of an f32 tile, falling, the last is 1
  /// Rounds one token's `k` activations into place `index` of a tile of `tile` tokens, and lists its second codes.
  void (*quantise)(const float* x, std::int64_t k, std::byte* activations, int tile, int index,
                   std::byte* remainders) = nullptr;
  std::array<std::array<Int8PanelDot, tile_kinds>, dtype_count> int8{};  ///< null where the type is not quantised
  std::array<Int8RemainderDot, dtype_count> remainders{};
  std::array<std::array<FullPanelDot, 2>, dtype_count> full{};
  std::array<std::array<RowsDot, 2>, dtype_count> rows{};  ///< null where the type is quantised
};

/// A tile of a batch of tokens.
struct Tile {
  std::int64_t begin = 0;
  std::size_t kind = 0;  ///< index into `tiles`
};
/// The tile that starts at token `begin` of `tokens`: the largest that fits.
template <std::size_t n>
[[nodiscard]] Tile tile_at(const std::array<int, n>& tiles, std::int64_t begin, std::int64_t tokens) {
  std::size_t kind = 0;
  while (tiles[kind] > tokens - begin) ++kind;
  return {begin, kind};
}

[[nodiscard]] const MatmulCore& portable_core();
[[nodiscard]] const MatmulCore& avx2_core();
[[nodiscard]] const MatmulCore& avx_vnni_core();
[[nodiscard]] const MatmulCore& avx512_vnni_core();

}  // namespace weft::cpu
