// Packing of panels, and their decoder, which tests compare with the formats' own.
#include "backends/cpu/panel.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <vector>

#include "core/half.hpp"
#include "core/quant/block_bytes.hpp"
#include "core/quant/block_format.hpp"
#include "core/quant/k_scale.hpp"
#include "core/quant/q4_0.hpp"
#include "core/quant/q4_1.hpp"
#include "core/quant/q4_k.hpp"
#include "core/quant/q5_0.hpp"
#include "core/quant/q5_1.hpp"
#include "core/quant/q5_k.hpp"
#include "core/quant/q6_k.hpp"
#include "core/quant/q8_0.hpp"
#include "core/quant/value_block.hpp"

namespace weft::cpu {
namespace {

constexpr std::int64_t super_columns = 256;

/// One stored block taken apart: codes (plus 128 where they are signed bytes) and the fields beside them.
struct Unpacked {
  std::array<std::uint8_t, super_columns> codes{};
  std::array<std::uint16_t, 2> halves{};                ///< d and m or dmin
  std::array<std::array<std::uint8_t, 2>, 8> scales{};  ///< of each 32 columns
};

void split_nibbles(const std::uint8_t* bytes, int count, std::uint8_t* low, std::uint8_t* high) {
  for (int i = 0; i < count; ++i) {
    low[i] = bytes[i] & 15;
    high[i] = bytes[i] >> 4;
  }
}

void add_fifth(const std::uint8_t* bits, std::uint8_t* codes) {
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<std::uint8_t>(codes[i] | (((bits[i / 8] >> (i % 8)) & 1) << 4));
}

template <class Block>
void take_apart_small(const std::byte* bytes, Unpacked& u) {
  const auto b = read_block<Block>(bytes);
  u.halves[0] = b.d;
  if constexpr (requires { b.m; }) u.halves[1] = b.m;
  split_nibbles(b.qs, 16, u.codes.data(), u.codes.data() + 16);
  if constexpr (requires { b.qh; }) add_fifth(b.qh, u.codes.data());
}

void take_apart_q8_0(const std::byte* bytes, Unpacked& u) {
  const auto b = read_block<BlockQ8_0>(bytes);
  u.halves[0] = b.d;
  for (int i = 0; i < 32; ++i) u.codes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(b.qs[i] + 128);
}

template <class Block>
void take_apart_k(const std::byte* bytes, Unpacked& u) {
  const auto b = read_block<Block>(bytes);
  u.halves = {b.d, b.dmin};
  for (int k = 0; k < 8; ++k) {
    const KScale s = k_scale(b.scales, k);
    u.scales[static_cast<std::size_t>(k)] = {static_cast<std::uint8_t>(s.scale), static_cast<std::uint8_t>(s.minimum)};
  }
  for (int pair = 0; pair < 4; ++pair) {
    std::uint8_t* codes = u.codes.data() + 64 * pair;
    split_nibbles(b.qs + 32 * pair, 32, codes, codes + 32);
  }
  if constexpr (requires { b.qh; }) {
    for (int i = 0; i < super_columns; ++i) {
      u.codes[static_cast<std::size_t>(i)] |= static_cast<std::uint8_t>(((b.qh[i % 32] >> (i / 32)) & 1) << 4);
    }
  }
}

void take_apart_q6_k(const std::byte* bytes, Unpacked& u) {
  const auto b = read_block<BlockQ6_K>(bytes);
  u.halves[0] = b.d;
  for (int run = 0; run < 8; ++run) {
    const int g = run % 4;
    const std::uint8_t* ql = b.ql + 64 * (run / 4) + 32 * (g % 2);
    const std::uint8_t* qh = b.qh + 32 * (run / 4);
    for (int l = 0; l < 32; ++l) {
      u.codes[static_cast<std::size_t>(32 * run + l)] =
          static_cast<std::uint8_t>(((ql[l] >> (4 * (g / 2))) & 15) | (((qh[l] >> (2 * g)) & 3) << 4));
    }
    u.scales[static_cast<std::size_t>(run)] = {static_cast<std::uint8_t>(b.scales[2 * run]),
                                               static_cast<std::uint8_t>(b.scales[2 * run + 1])};
  }
}

void take_apart(DType type, const std::byte* bytes, Unpacked& u) {
  switch (type) {
    case DType::q4_0: return take_apart_small<BlockQ4_0>(bytes, u);
    case DType::q4_1: return take_apart_small<BlockQ4_1>(bytes, u);
    case DType::q5_0: return take_apart_small<BlockQ5_0>(bytes, u);
    case DType::q5_1: return take_apart_small<BlockQ5_1>(bytes, u);
    case DType::q8_0: return take_apart_q8_0(bytes, u);
    case DType::q4_k: return take_apart_k<BlockQ4_K>(bytes, u);
    case DType::q5_k: return take_apart_k<BlockQ5_K>(bytes, u);
    case DType::q6_k: return take_apart_q6_k(bytes, u);
    default: assert(false);
  }
}

std::uint32_t read_word(const std::uint8_t* at) {
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
void write_word(std::uint8_t* at, std::uint32_t word) { std::memcpy(at, &word, sizeof word); }

/// Puts one row's 32 codes into a block of the panel, whose bits above 4 are zero so far. A group's four codes are one
/// little-endian word.
void put_codes(const std::uint8_t* codes, int bits, int row, std::uint8_t* block) {
  if (bits == 8) {
    for (int g = 0; g < 8; ++g) std::memcpy(block + 64 * g + 4 * row, codes + 4 * g, 4);
    return;
  }
  constexpr std::uint32_t low = 0x0F0F0F0F;
  for (int c = 0; c < 4; ++c) {
    const std::uint32_t even = read_word(codes + 8 * c) & low;
    const std::uint32_t odd = read_word(codes + 8 * c + 4) & low;
    write_word(block + 64 * c + 4 * row, even | (odd << 4));
  }
  std::uint8_t* above = block + 256;
  for (int g = 0; bits == 5 && g < 8; ++g) {
    const std::uint8_t* four = codes + 4 * g;
    const int set = (four[0] >> 4) | (four[1] >> 4 << 1) | (four[2] >> 4 << 2) | (four[3] >> 4 << 3);
    std::uint8_t& byte = above[8 * g + row / 2];
    byte = static_cast<std::uint8_t>(byte | (set << (4 * (row % 2))));
  }
  for (int g = 0; bits == 6 && g < 8; ++g) {
    std::uint8_t* at = above + 64 * (g / 4) + 4 * row;
    const std::uint32_t high = (read_word(codes + 4 * g) >> 4) & 0x03030303U;
    write_word(at, read_word(at) | (high << (2 * (g % 4))));
  }
}

int code_of(const std::uint8_t* block, int bits, int row, int column) {
  const int g = column / 4;
  const int at = 4 * row + column % 4;
  if (bits == 8) return block[64 * g + at];
  int code = (block[64 * (g / 2) + at] >> (4 * (g % 2))) & 15;
  const std::uint8_t* above = block + 256;
  if (bits == 5) code |= ((above[8 * g + at / 8] >> (at % 8)) & 1) << 4;
  if (bits == 6) code |= ((above[64 * (g / 4) + at] >> (2 * (g % 4))) & 3) << 4;
  return code;
}

void put_half(std::byte* field, int row, std::uint16_t bits) { std::memcpy(field + 2 * row, &bits, 2); }
float half_at(const std::byte* field, int row) {
  std::uint16_t bits;
  std::memcpy(&bits, field + 2 * row, 2);
  return f16_to_f32(bits);
}

/// The parts of a panel in `Byte`s.
template <class Byte>
struct Parts {
  Byte* supers;
  Byte* scales;
  Byte* codes;
};

void put_float(std::byte* field, int row, float value) { std::memcpy(field + 4 * row, &value, 4); }
float float_at(const std::byte* field, int row) {
  float value = 0;
  std::memcpy(&value, field + 4 * row, 4);
  return value;
}

void pack_value_row(DType type, const std::byte* source, std::int64_t k, int row, const Parts<std::byte>& to) {
  const PanelFormat f = panel_format(type);
  const DTypeInfo& sizes = info(type);
  const auto runs = static_cast<std::size_t>(sizes.block_elements / block_columns);
  ValueBlock values;
  for (std::int64_t s = 0; s < k / sizes.block_elements; ++s) {
    read_value_block(type, source + s * sizes.block_bytes, values);
    for (std::size_t r = 0; r < runs; ++r) {
      const std::size_t block = static_cast<std::size_t>(s) * runs + r;
      std::byte* scales = to.scales + block * f.scale_bytes;
      for (std::size_t part = 0; part < 2; ++part) {
        put_float(scales + 64 * part, row, values.scales[2 * r + part]);
        if (f.scale_bytes == 256) put_float(scales + 128 + 64 * part, row, values.minima[2 * r + part]);
      }
      std::array<std::uint8_t, block_columns> codes{};
      for (std::size_t i = 0; i < codes.size(); ++i) {
        codes[i] = static_cast<std::uint8_t>(values.values[block_columns * r + i] + 128);
      }
      put_codes(codes.data(), f.bits, row, reinterpret_cast<std::uint8_t*>(to.codes + block * f.code_bytes));
    }
  }
}

void pack_row(DType type, const std::byte* source, std::int64_t k, int row, const Parts<std::byte>& to) {
  const PanelFormat f = panel_format(type);
  const DTypeInfo& sizes = info(type);
  const std::int64_t runs = sizes.block_elements / block_columns;
  Unpacked u;
  for (std::int64_t s = 0; s < k / sizes.block_elements; ++s) {
    take_apart(type, source + s * sizes.block_bytes, u);
    std::byte* halves = runs > 1 ? to.supers + static_cast<std::size_t>(s) * f.super_bytes
                                 : to.scales + static_cast<std::size_t>(s) * f.scale_bytes;
    put_half(halves, row, u.halves[0]);
    if ((runs > 1 ? f.super_bytes : f.scale_bytes) == 64) put_half(halves + 32, row, u.halves[1]);
    for (std::int64_t r = 0; r < runs; ++r) {
      const auto block = static_cast<std::size_t>(s * runs + r);
      if (runs > 1) {
        std::byte* scale = to.scales + block * f.scale_bytes + row;
        scale[0] = std::byte{u.scales[static_cast<std::size_t>(r)][0]};
        scale[16] = std::byte{u.scales[static_cast<std::size_t>(r)][1]};
      }
      put_codes(u.codes.data() + 32 * r, f.bits, row, reinterpret_cast<std::uint8_t*>(to.codes + block * f.code_bytes));
    }
  }
}

template <class Byte>
Parts<Byte> parts_of(std::span<Byte> panel, const PanelSizes& sizes) {
  return {panel.data(), panel.data() + sizes.scales_offset, panel.data() + sizes.codes_offset};
}

/// Codes are stored without the constant that the format subtracts.
int offset_of(DType type) {
  if (is_value_type(type)) return 128;
  switch (type) {
    case DType::q4_0: return 8;
    case DType::q5_0: return 16;
    case DType::q6_k: return 32;
    case DType::q8_0: return 128;
    default: return 0;
  }
}

/// Scale and minimum of one row in columns that share them, exactly as the format's own decoder computes them.
struct Affine {
  float scale = 0;
  float minimum = 0;
};
Affine affine_at(DType type, const Parts<const std::byte>& p, std::int64_t column, int row) {
  const PanelFormat f = panel_format(type);
  const std::byte* scales = p.scales + static_cast<std::size_t>(column / block_columns) * f.scale_bytes;
  const std::byte* super = p.supers + static_cast<std::size_t>(column / super_columns) * f.super_bytes;
  const auto byte = [&](int at) { return std::to_integer<std::uint8_t>(scales[at + row]); };
  if (is_value_type(type)) {
    const std::byte* part = scales + 64 * (column % block_columns / 16);
    return {float_at(part, row), f.scale_bytes == 256 ? float_at(part + 128, row) : 0.0F};
  }
  switch (type) {
    case DType::q4_1:
    case DType::q5_1: return {half_at(scales, row), half_at(scales + 32, row)};
    case DType::q4_k:
    case DType::q5_k:
      return {half_at(super, row) * static_cast<float>(byte(0)),
              -(half_at(super + 32, row) * static_cast<float>(byte(16)))};
    case DType::q6_k: {
      const int half = static_cast<int>(column % block_columns / 16);
      return {half_at(super, row) * static_cast<float>(static_cast<std::int8_t>(byte(16 * half))), 0};
    }
    default: return {half_at(scales, row), 0};
  }
}

}  // namespace

PanelFormat panel_format(DType type) {
  if (is_value_type(type)) return {0, type == DType::q2_k ? 256U : 128U, 512, 8};
  switch (type) {
    case DType::q4_0: return {0, 32, 256, 4};
    case DType::q4_1: return {0, 64, 256, 4};
    case DType::q5_0: return {0, 32, 320, 5};
    case DType::q5_1: return {0, 64, 320, 5};
    case DType::q8_0: return {0, 32, 512, 8};
    case DType::q4_k: return {64, 32, 256, 4};
    case DType::q5_k: return {64, 32, 320, 5};
    case DType::q6_k: return {32, 32, 384, 6};
    default: assert(false); return {};
  }
}

PanelSizes panel_sizes(DType type, std::int64_t k) {
  const PanelFormat f = panel_format(type);
  PanelSizes sizes;
  sizes.blocks = k / block_columns;
  const auto blocks = static_cast<std::size_t>(sizes.blocks);
  sizes.scales_offset = (blocks / 8) * f.super_bytes;
  sizes.codes_offset = (sizes.scales_offset + blocks * f.scale_bytes + 63) / 64 * 64;
  sizes.bytes = sizes.codes_offset + blocks * f.code_bytes;
  return sizes;
}

void pack_panel(const ConstHostView& weight, std::int64_t index, std::span<std::byte> out) {
  const std::int64_t k = weight.width();
  const PanelSizes sizes = panel_sizes(weight.desc.dtype, k);
  assert(out.size() >= sizes.bytes);
  std::fill(out.begin(), out.end(), std::byte{0});
  const Parts<std::byte> parts = parts_of(out, sizes);
  const std::int64_t first = index * panel_rows;
  const std::int64_t rows = std::min<std::int64_t>(panel_rows, weight.rows() - first);
  const auto pack = is_value_type(weight.desc.dtype) ? pack_value_row : pack_row;
  for (int row = 0; row < rows; ++row) pack(weight.desc.dtype, weight.row(first + row), k, row, parts);
}

void decode_panel_row(DType type, std::span<const std::byte> panel, int row, std::span<float> out) {
  const PanelFormat f = panel_format(type);
  const PanelSizes sizes = panel_sizes(type, static_cast<std::int64_t>(out.size()));
  const Parts<const std::byte> parts = parts_of(panel, sizes);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i);
    const Affine a = affine_at(type, parts, column, row);
    const auto* block = reinterpret_cast<const std::uint8_t*>(parts.codes + (i / 32) * f.code_bytes);
    const int code = code_of(block, f.bits, row, static_cast<int>(column % block_columns));
    out[i] = a.scale * static_cast<float>(code - offset_of(type)) + a.minimum;
  }
}

}  // namespace weft::cpu
