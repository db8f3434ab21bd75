// The loops of matmul_core.hpp in terms of lanes: included after lanes/functions.hpp by one source file of each set.
#pragma once

#include "backends/cpu/matmul/float_rows_body.hpp"
#include "backends/cpu/matmul/matmul_core.hpp"
#include "core/quant/value_block.hpp"

namespace weft::cpu {
namespace {

constexpr int vectors_of_panel = panel_rows / lane_count;
// With several tokens at a time a panel is walked once for each vector of its rows, so that sums stay in registers.
constexpr int largest_tile = lane_count == 16 ? 12 : 4;
constexpr int largest_full_tile = 4;

template <DType type>
struct Traits {
  static constexpr bool is_k = type == DType::q4_k || type == DType::q5_k || type == DType::q6_k;
  static constexpr bool is_value = is_value_type(type);
  static constexpr int bits = type == DType::q8_0 || is_value                                     ? 8
                              : type == DType::q6_k                                               ? 6
                              : type == DType::q5_0 || type == DType::q5_1 || type == DType::q5_k ? 5
                                                                                                  : 4;
  static constexpr bool has_minimum =
      type == DType::q4_1 || type == DType::q5_1 || type == DType::q4_k || type == DType::q5_k || type == DType::q2_k;
  static constexpr int parts = type == DType::q6_k || is_value ? 2 : 1;  ///< of a block, with a scale each
  static constexpr int zero = type == DType::q4_0   ? 8
                              : type == DType::q5_0 ? 16
                              : type == DType::q6_k ? 32
                              : bits == 8           ? 128
                                                    : 0;  ///< the code that means 0
  static constexpr std::size_t super_bytes = type == DType::q6_k ? 32 : is_k ? 64 : 0;
  static constexpr int minimum_parts = !has_minimum ? 0 : parts;
  static constexpr std::size_t scale_bytes = is_value ? (has_minimum ? 256 : 128) : !is_k && has_minimum ? 64 : 32;
  static constexpr std::size_t code_bytes = bits == 8 ? 512 : bits == 6 ? 384 : bits == 5 ? 320 : 256;
};

/// The fields of one block, for vectors of rows from row `first` on.
template <DType type>
struct BlockView {
  const std::byte* super;
  const std::byte* scales;
  const std::uint8_t* codes;

  BlockView(const std::byte* panel, const PanelSizes& sizes, std::int64_t block)
      : super(panel + static_cast<std::size_t>(block / 8) * Traits<type>::super_bytes),
        scales(panel + sizes.scales_offset + static_cast<std::size_t>(block) * Traits<type>::scale_bytes),
        codes(reinterpret_cast<const std::uint8_t*>(panel + sizes.codes_offset +
                                                    static_cast<std::size_t>(block) * Traits<type>::code_bytes)) {}

  static F halves(const std::byte* at, int row) { return load_f16(reinterpret_cast<const std::uint16_t*>(at) + row); }
  static F bytes(const std::byte* at, int row) {
    return to_float(load_u8(reinterpret_cast<const std::uint8_t*>(at) + row));
  }

  F floats(int field, int row) const { return load(reinterpret_cast<const float*>(scales) + 16 * field + row); }

  F scale(int part, int row) const {
    if constexpr (Traits<type>::is_value) {
      return floats(part, row);
    } else if constexpr (type == DType::q6_k) {
      return halves(super, row) * to_float(load_i8(reinterpret_cast<const std::int8_t*>(scales) + 16 * part + row));
    } else if constexpr (Traits<type>::is_k) {
      return halves(super, row) * bytes(scales, row);
    } else {
      return halves(scales, row);
    }
  }
  F minimum(int part, int row) const {
    if constexpr (Traits<type>::is_value) return floats(2 + part, row);
    if constexpr (Traits<type>::is_k) return -(halves(super + 32, row) * bytes(scales + 16, row));
    return halves(scales + 32, row);
  }

  /// Codes of groups 2c and 2c + 1.
  struct Two {
    Codes even, odd;
  };
  Two two_groups(int c, int row) const {
    if constexpr (Traits<type>::bits == 8) {
      return {load_codes(codes + 128 * c + 4 * row), load_codes(codes + 128 * c + 64 + 4 * row)};
    }
    const Codes line = load_codes(codes + 64 * c + 4 * row);
    Two two{low_nibbles(line), high_nibbles(line)};
    const std::uint8_t* above = codes + 256;
    if constexpr (Traits<type>::bits == 5) {
      two.even = add_fifth_bits(two.even, above + 16 * c + row / 2);
      two.odd = add_fifth_bits(two.odd, above + 16 * c + 8 + row / 2);
    }
    if constexpr (Traits<type>::bits == 6) {
      const auto high = (Pairs)load_codes(above + 64 * (c / 2) + 4 * row);
      two.even |= (Codes)(c % 2 == 0 ? high << 4 : high) & 0x30;
      two.odd |= (Codes)(c % 2 == 0 ? high << 2 : high >> 2) & 0x30;
    }
    return two;
  }
};

/// The fields of one block of a tile of activations.
template <int T>
struct ActivationView {
  const std::int8_t* codes;
  const float* scales;
  const std::int32_t* sums;
  const float* scaled_sums;
  const std::int32_t* half_sums;

  explicit ActivationView(const std::byte* at)
      : codes(reinterpret_cast<const std::int8_t*>(at)),
        scales(reinterpret_cast<const float*>(at + 32 * T)),
        sums(reinterpret_cast<const std::int32_t*>(at + 36 * T)),
        scaled_sums(reinterpret_cast<const float*>(at + 40 * T)),
        half_sums(reinterpret_cast<const std::int32_t*>(at + 44 * T)) {}
};

template <DType type>
inline I dot_of(I acc, Codes codes, const std::int8_t* a) {
  if constexpr (Traits<type>::bits == 8) return dot_bytes(acc, codes, a);
  return dot_codes(acc, codes, a);
}

/// One part of a block: integer sums of T tokens and V vectors of rows, less what the zero code contributes.
template <DType type, int T, int V>
inline void sum_part(const BlockView<type>& w, const ActivationView<T>& a, int part, int row, I (&sums)[T][V]) {
  using Tr = Traits<type>;
  constexpr int zero = Tr::bits == 8 ? byte_code_offset : Tr::zero;
  for (int t = 0; t < T; ++t) {
    const std::int32_t sum = Tr::parts == 1 ? a.sums[t] : a.half_sums[part * T + t];
    for (int v = 0; v < V; ++v) sums[t][v] = zero == 0 ? splat(std::int32_t{0}) : splat(std::int32_t{-zero * sum});
  }
  constexpr int lines = 4 / Tr::parts;
#pragma GCC unroll 4
  for (int line = 0; line < lines; ++line) {
    const int c = part * lines + line;
    for (int v = 0; v < V; ++v) {
      const auto two = w.two_groups(c, row + v * lane_count);
      for (int t = 0; t < T; ++t) sums[t][v] = dot_of<type>(sums[t][v], two.even, a.codes + 32 * t + 8 * c);
      for (int t = 0; t < T; ++t) sums[t][v] = dot_of<type>(sums[t][v], two.odd, a.codes + 32 * t + 8 * c + 4);
    }
  }
}

/// Adds one block's products to the sums of T tokens and V vectors of rows.
template <DType type, int T, int V>
inline void add_block(const BlockView<type>& w, const ActivationView<T>& a, int row, F (&sums)[T][V]) {
#pragma GCC unroll 2
  for (int part = 0; part < Traits<type>::parts; ++part) {
    I whole[T][V];
    sum_part<type, T, V>(w, a, part, row, whole);
    for (int v = 0; v < V; ++v) {
      const F scale = w.scale(part, row + v * lane_count);
      for (int t = 0; t < T; ++t) sums[t][v] += to_float(whole[t][v]) * (scale * splat(a.scales[t]));
    }
  }
  for (int part = 0; part < Traits<type>::minimum_parts; ++part) {
    for (int v = 0; v < V; ++v) {
      const F minimum = w.minimum(part, row + v * lane_count);
      for (int t = 0; t < T; ++t) {
        sums[t][v] +=
            minimum * splat(Traits<type>::parts == 1 ? a.scaled_sums[t]
                                                     : a.scales[t] * static_cast<float>(a.half_sums[part * T + t]));
      }
    }
  }
}

template <DType type, int T, int V>
inline void int8_rows(const std::byte* panel, const PanelSizes& sizes, const std::byte* activations, int row,
                      float* out) {
  F sums[T][V];
  for (int t = 0; t < T; ++t) {
    for (int v = 0; v < V; ++v) sums[t][v] = splat(0.0F);
  }
  for (std::int64_t b = 0; b < sizes.blocks; ++b) {
    const BlockView<type> w(panel, sizes, b);
    const ActivationView<T> a(activations + b * activation_block_bytes * T);
    add_block<type, T, V>(w, a, row, sums);
  }
  for (int t = 0; t < T; ++t) {
    for (int v = 0; v < V; ++v) store(out + t * panel_rows + row + v * lane_count, sums[t][v]);
  }
}

template <DType type>
void int8_remainders(const std::byte* panel, const PanelSizes& sizes, const std::byte* remainders, float* out) {
  const ConstRemainderView list(remainders);
  F sums[1][vectors_of_panel];
  for (int v = 0; v < vectors_of_panel; ++v) sums[0][v] = load(out + v * lane_count);
  for (std::int32_t i = 0; i < *list.count; ++i) {
    const BlockView<type> w(panel, sizes, *list.block(i));
    add_block<type, 1, vectors_of_panel>(w, ActivationView<1>(list.codes(i)), 0, sums);
  }
  for (int v = 0; v < vectors_of_panel; ++v) store(out + v * lane_count, sums[0][v]);
}

template <DType type, int T>
void int8_panel(const std::byte* panel, const PanelSizes& sizes, const std::byte* activations, float* out) {
  constexpr int vectors = T == 1 ? vectors_of_panel : 1;
  for (int row = 0; row < panel_rows; row += vectors * lane_count) {
    int8_rows<type, T, vectors>(panel, sizes, activations, row, out);
  }
}

/// f32 activations times codes, a column at a time.
template <DType type, int T>
void full_panel(const std::byte* panel, const PanelSizes& sizes, const float* x, std::int64_t stride, float* out) {
  using Tr = Traits<type>;
  constexpr int lines = 4 / Tr::parts;
  for (int row = 0; row < panel_rows; row += lane_count) {
    F sums[T];
    for (int t = 0; t < T; ++t) sums[t] = splat(0.0F);
    for (std::int64_t b = 0; b < sizes.blocks; ++b) {
      const BlockView<type> w(panel, sizes, b);
      for (int part = 0; part < Tr::parts; ++part) {
        F products[T];
        for (int t = 0; t < T; ++t) products[t] = splat(0.0F);
        for (int c = part * lines; c < (part + 1) * lines; ++c) {
          const auto two = w.two_groups(c, row);
          for (int j = 0; j < 8; ++j) {
            const I code = (((I)(j < 4 ? two.even : two.odd)) >> (8 * (j % 4))) & 255;
            const F q = to_float(code - splat(std::int32_t{Tr::zero}));
            for (int t = 0; t < T; ++t) products[t] += q * splat(x[t * stride + b * block_columns + 8 * c + j]);
          }
        }
        const F scale = w.scale(part, row);
        for (int t = 0; t < T; ++t) sums[t] += scale * products[t];
      }
      for (int part = 0; part < Tr::minimum_parts; ++part) {
        const F minimum = w.minimum(part, row);
        constexpr int columns = block_columns / Tr::parts;
        for (int t = 0; t < T; ++t) {
          F sum = splat(0.0F);
          for (int i = part * columns; i < (part + 1) * columns; i += lane_count) {
            sum += load(x + t * stride + b * block_columns + i);
          }
          sums[t] += minimum * splat(sum_of(sum));
        }
      }
    }
    for (int t = 0; t < T; ++t) store(out + t * panel_rows + row, sums[t]);
  }
}

/// A block's largest magnitude; NaN where the block holds NaN or Inf.
inline float block_range(const float* x) {
  F largest = splat(0.0F);
  F poison = splat(0.0F);
  for (int i = 0; i < block_columns; i += lane_count) {
    const F v = load(x + i);
    largest = max_of(abs_of(v), largest);
    poison += v - v;
  }
  return largest_of(largest) + sum_of(poison);
}

/// Rounds 32 numbers into place `index` of a block of a tile; returns their largest magnitude.
inline float quantise_block(const float* x, std::byte* block, int tile, int index) {
  const float range = block_range(x);
  auto* codes = reinterpret_cast<std::int8_t*>(block) + 32 * index;
  auto* floats = reinterpret_cast<float*>(block + 32 * tile);
  auto* sums = reinterpret_cast<std::int32_t*>(block + 36 * tile);
  const bool usable = range == range && range > 0;
  // Numbers so small that 127 / range would overflow are lifted first.
  const float lift = range < 0x1p-100F ? 0x1p64F : 1.0F;
  const F inverse = splat(usable ? 127.0F / (range * lift) : 0.0F);
  const F lifted = splat(lift);
  I parts[2] = {splat(std::int32_t{0}), splat(std::int32_t{0})};
  for (int i = 0; i < block_columns; i += lane_count) {
    const I rounded = usable ? to_nearest(load(x + i) * lifted * inverse) : splat(std::int32_t{0});
    store_i8(codes + i, rounded);
    parts[i / 16] += rounded;
  }
  const std::int32_t half[2] = {sum_of(parts[0]), sum_of(parts[1])};
  const std::int32_t sum = half[0] + half[1];
  const float scale = range / 127.0F;
  floats[index] = scale;
  sums[index] = sum;
  floats[2 * tile + index] = scale * static_cast<float>(sum);
  sums[2 * tile + index] = half[0];
  sums[3 * tile + index] = half[1];
  return range;
}

/// Whether the largest of 32 numbers leaves too few codes for the others.
inline bool is_peaked(const float* x, float range) {
  F sum = splat(0.0F);
  for (int i = 0; i < block_columns; i += lane_count) sum += abs_of(load(x + i));
  return range * block_columns > largest_crest * sum_of(sum);
}

/// What the codes at place `index` of a block of a tile leave of x.
inline void remainder_of(const float* x, const std::byte* block, int tile, int index, float* remainder) {
  const auto* codes = reinterpret_cast<const std::int8_t*>(block) + 32 * index;
  const F scale = splat(reinterpret_cast<const float*>(block + 32 * tile)[index]);
  for (int i = 0; i < block_columns; i += lane_count) {
    store(remainder + i, load(x + i) - scale * to_float(load_i8(codes + i)));
  }
}

void quantise_row(const float* x, std::int64_t k, std::byte* activations, int tile, int index, std::byte* remainders) {
  const RemainderView list(remainders);
  *list.count = 0;
  for (std::int64_t b = 0; b < k / block_columns; ++b) {
    std::byte* block = activations + b * activation_block_bytes * tile;
    const float* columns = x + b * block_columns;
    const float range = quantise_block(columns, block, tile, index);
    if (!is_peaked(columns, range)) continue;
    float remainder[block_columns];
    remainder_of(columns, block, tile, index, remainder);
    quantise_block(remainder, list.codes(*list.count), 1, 0);
    *list.block(*list.count) = static_cast<std::int32_t>(b);
    ++*list.count;
  }
}

/// `type`'s loops, for panels of `stored`.
template <DType type>
constexpr void add_quantised(MatmulCore& core, DType stored = type) {
  const auto at = static_cast<std::size_t>(stored);
  core.int8[at] = {int8_panel<type, largest_tile>, int8_panel<type, 4>, int8_panel<type, 2>, int8_panel<type, 1>};
  core.remainders[at] = int8_remainders<type>;
  core.full[at] = {full_panel<type, largest_full_tile>, full_panel<type, 1>};
}
template <DType type>
constexpr void add_float(MatmulCore& core) {
  core.rows[static_cast<std::size_t>(type)] = {float_rows<type, largest_full_tile>, float_rows_of_token<type>};
}

constexpr MatmulCore core_named(std::string_view isa) {
  MatmulCore core;
  core.isa = isa;
  core.tiles = {largest_tile, 4, 2, 1};
  core.full_tiles = {largest_full_tile, 1};
  core.quantise = quantise_row;
  add_quantised<DType::q4_0>(core);
  add_quantised<DType::q4_1>(core);
  add_quantised<DType::q5_0>(core);
  add_quantised<DType::q5_1>(core);
  add_quantised<DType::q8_0>(core);
  add_quantised<DType::q4_k>(core);
  add_quantised<DType::q5_k>(core);
  add_quantised<DType::q6_k>(core);
  add_quantised<DType::q2_k>(core);
  // Value panels without minima are alike whatever they were packed from.
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto stored = static_cast<DType>(i);
    if (is_value_type(stored) && stored != DType::q2_k) add_quantised<DType::q8_k>(core, stored);
  }
  add_float<DType::f32>(core);
  add_float<DType::f16>(core);
  add_float<DType::bf16>(core);
  return core;
}

}  // namespace
}  // namespace weft::cpu
