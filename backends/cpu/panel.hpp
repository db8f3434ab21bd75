// The packed layout of quantised weights: panels of 16 rows whose blocks of 32 columns stand side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dtype.hpp"
#include "core/tensor.hpp"

namespace weft::cpu {

inline constexpr int panel_rows = 16;
inline constexpr int block_columns = 32;

/// One panel: [super fields of each 256 columns][scales of each block], padded to 64 bytes, then [codes of each block].
///
/// Codes of a block, in groups g = 0…7 of four columns (4g … 4g+3), one 64-byte line of 16 rows x 4 columns a group:
///   4 to 6 bits: 4 lines; line c holds group 2c in its low nibbles and group 2c + 1 in its high nibbles;
///   5 bits: then 8 strings of 64 bits, string g holds bit 4 of group g's line;
///   6 bits: then 2 lines; line h holds bits 4 and 5 of group 4h + i in bits 2i and 2i + 1 of each byte;
///   8 bits: 8 lines of code + 128 (unsigned).
/// Scales of a block: f16 d[16] (q4_0, q5_0, q8_0); f16 d[16], m[16] (q4_1, q5_1); u8 scale[16], minimum[16] (q4_k,
/// q5_k); i8 scale[2][16], of columns 0…15 and 16…31 (q6_k). Super fields: f16 d[16], dmin[16] (q4_k, q5_k); f16 d[16]
/// (q6_k). Value types (core/quant/value_block.hpp): 8 bits, f32 scale[2][16], of columns 0…15 and 16…31; q2_k then has
/// f32 minimum[2][16]. Rows beyond N have zero scales.
struct PanelFormat {
  std::size_t super_bytes = 0;  ///< of 256 columns
  std::size_t scale_bytes = 0;  ///< of a block
  std::size_t code_bytes = 0;   ///< of a block
  int bits = 0;                 ///< of a code
};

/// Only for quantised types.
[[nodiscard]] PanelFormat panel_format(DType type);

/// Where the parts of a panel of `k` columns lie.
struct PanelSizes {
  std::int64_t blocks = 0;
  std::size_t scales_offset = 0;  ///< super fields start at 0
  std::size_t codes_offset = 0;
  std::size_t bytes = 0;  ///< of one panel, a multiple of 64
};
[[nodiscard]] PanelSizes panel_sizes(DType type, std::int64_t k);

[[nodiscard]] inline std::int64_t panels_of(std::int64_t n) { return (n + panel_rows - 1) / panel_rows; }

/// Packs panel `index` of the weight `[N, K]` (any row stride) into `out`, panel_sizes().bytes long.
void pack_panel(const ConstHostView& weight, std::int64_t index, std::span<std::byte> out);

/// What row `row` (0…15) of a packed panel stands for: the same values, bit for bit, as the row it was packed from.
void decode_panel_row(DType type, std::span<const std::byte> panel, int row, std::span<float> out);

}  // namespace weft::cpu
