// Readers of value blocks. Layouts are those of the GGUF types' definitions: fields in order, packed, little-endian.
#include "core/quant/value_block.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#include "core/half.hpp"
#include "core/quant/iq_grids.hpp"

namespace weft {
namespace {

constexpr std::array<std::int8_t, 16> nonlinear_values{-127, -104, -83, -65, -49, -35, -22, -10,
                                                       1,    13,   25,  38,  53,  69,  89,  113};
/// E2M1 numbers, doubled.
constexpr std::array<std::int8_t, 16> doubled_fp4{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

float half_at(const std::uint8_t* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return f16_to_f32(bits);
}

int nibble(std::uint8_t byte, int which) { return (byte >> (4 * which)) & 15; }

/// Element i of the 2-bit runs that q2_k, q3_k and tq2_0 share.
int two_bits(const std::uint8_t* qs, int i) { return (qs[32 * (i / 128) + i % 32] >> (2 * (i / 32 % 4))) & 3; }

/// `of(i)` for each of `count` elements.
template <class Of>
void set_values(ValueBlock& out, int count, Of of) {
  for (int i = 0; i < count; ++i) out.values[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(of(i));
}

/// `of(k)` for each of `count` groups of 16 columns.
template <class Of>
void set_scales(ValueBlock& out, int count, Of of) {
  for (int k = 0; k < count; ++k) out.scales[static_cast<std::size_t>(k)] = of(k);
}

int table_value(const std::array<std::int8_t, 16>& table, int code) { return table[static_cast<std::size_t>(code)]; }

void read_q2_k(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b + 80);
  const float dmin = half_at(b + 82);
  set_scales(out, 16, [&](int k) { return d * static_cast<float>(b[k] & 15); });
  for (std::size_t k = 0; k < 16; ++k) out.minima[k] = -(dmin * static_cast<float>(b[k] >> 4));
  set_values(out, 256, [&](int i) { return two_bits(b + 16, i); });
}

void read_q3_k(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b + 108);
  const std::uint8_t* c = b + 96;
  set_scales(out, 16, [&](int k) {
    const int scale = nibble(c[k % 8], k / 8) | (((c[8 + k % 4] >> (2 * (k / 4))) & 3) << 4);
    return d * static_cast<float>(scale - 32);
  });
  set_values(out, 256, [&](int i) { return two_bits(b + 32, i) + 4 * ((b[i % 32] >> (i / 32)) & 1) - 4; });
}

void read_q8_k(const std::uint8_t* b, ValueBlock& out) {
  float d = 0;
  std::memcpy(&d, b, sizeof d);
  set_scales(out, 16, [&](int) { return d; });
  std::memcpy(out.values.data(), b + 4, 256);
}

void read_iq4_nl(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  set_scales(out, 2, [&](int) { return d; });
  set_values(out, 32, [&](int i) { return table_value(nonlinear_values, nibble(b[2 + i % 16], i / 16)); });
}

void read_iq4_xs(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  const int high = b[2] | (b[3] << 8);
  set_scales(out, 16, [&](int part) {
    const int k = part / 2;
    const int scale = nibble(b[4 + k / 2], k % 2) | (((high >> (2 * k)) & 3) << 4);
    return d * static_cast<float>(scale - 32);
  });
  set_values(out, 256,
             [&](int i) { return table_value(nonlinear_values, nibble(b[8 + 16 * (i / 32) + i % 16], i / 16 % 2)); });
}

/// Digit n of five base-3 digits kept as a fraction of 256.
int trit(std::uint8_t byte, int n) {
  constexpr std::array<int, 5> powers{1, 3, 9, 27, 81};
  return ((byte * powers[static_cast<std::size_t>(n)] % 256) * 3) >> 8;
}

void read_tq1_0(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b + 52);
  set_scales(out, 16, [&](int) { return d; });
  set_values(out, 256, [&](int i) {
    if (i < 160) return trit(b[i % 32], i / 32) - 1;
    if (i < 240) return trit(b[32 + (i - 160) % 16], (i - 160) / 16) - 1;
    return trit(b[48 + (i - 240) % 4], (i - 240) / 4) - 1;
  });
}

void read_tq2_0(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b + 64);
  set_scales(out, 16, [&](int) { return d; });
  set_values(out, 256, [&](int i) { return two_bits(b, i) - 1; });
}

void read_mxfp4(const std::uint8_t* b, ValueBlock& out) {
  // 2^(e - 128): half of E8M0's scale, since the table is doubled; subnormal for e below 2.
  const std::uint32_t bits = b[0] >= 2 ? std::uint32_t{b[0] - 1U} << 23 : 0x00200000U << b[0];
  set_scales(out, 2, [&](int) { return std::bit_cast<float>(bits); });
  set_values(out, 32, [&](int i) { return table_value(doubled_fp4, nibble(b[1 + i % 16], i / 16)); });
}

/// Unsigned E4M3 without infinity; 0x7F counts as 0.
float ue4m3(std::uint8_t byte) {
  const int code = byte & 0x7F;
  if (code == 0x7F) return 0;
  const int exponent = code >> 3;
  const int mantissa = code & 7;
  return exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                       : std::ldexp(static_cast<float>(8 + mantissa), exponent - 10);
}

void read_nvfp4(const std::uint8_t* b, ValueBlock& out) {
  set_scales(out, 4, [&](int g) { return 0.5F * ue4m3(b[g]); });
  set_values(out, 64, [&](int i) {
    const int j = i % 16;
    return table_value(doubled_fp4, nibble(b[4 + 8 * (i / 16) + j % 8], j / 8));
  });
}

/// Bits of two or four bytes, the first lowest.
unsigned word(const std::uint8_t* b) { return b[0] | unsigned{b[1]} << 8; }
unsigned long_word(const std::uint8_t* b) { return word(b) | word(b + 2) << 16; }

int signed_by(unsigned signs, int bit, int value) { return ((signs >> bit) & 1) != 0 ? -value : value; }
int iq2_value(unsigned entry, int j) { return std::array{8, 25, 43, 0}[(entry >> (2 * j)) & 3]; }
int iq1_value(unsigned entry, bool negative, int j) {
  return 8 * (static_cast<int>((entry >> (2 * j)) & 3) - 1) + (negative ? -1 : 1);
}
float iq2_scale(float d, int s) { return d * (0.5F + static_cast<float>(s)) * 0.25F; }

void read_iq1_s(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b) * 0.125F;
  const auto high = [&](int k) { return word(b + 34 + 2 * k); };
  set_scales(out, 16, [&](int g) { return d * static_cast<float>(2 * ((high(g / 2) >> 12) & 7) + 1); });
  set_values(out, 256, [&](int i) {
    const unsigned h = high(i / 32);
    const unsigned index = b[2 + i / 8] | ((h >> (3 * (i / 8 % 4))) & 7) << 8;
    return iq1_value(iq1_grid[index], (h & 0x8000U) != 0, i % 8);
  });
}

void read_iq1_m(const std::uint8_t* b, ValueBlock& out) {
  const auto scales = [&](int n) { return word(b + 48 + 2 * n); };
  unsigned bits = 0;
  for (int n = 0; n < 4; ++n) bits |= (scales(n) >> 12) << (4 * n);
  const float d = f16_to_f32(static_cast<std::uint16_t>(bits)) * 0.125F;
  set_scales(out, 16, [&](int g) { return d * static_cast<float>(2 * ((scales(g / 4) >> (3 * (g % 4))) & 7) + 1); });
  set_values(out, 256, [&](int i) {
    const unsigned high = static_cast<unsigned>(nibble(b[32 + i / 16], i / 8 % 2));
    return iq1_value(iq1_grid[b[i / 8] | (high & 7) << 8], (high & 8) != 0, i % 8);
  });
}

void read_iq2_xxs(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  const auto high = [&](int k) { return long_word(b + 6 + 8 * k); };
  set_scales(out, 16, [&](int g) { return iq2_scale(d, static_cast<int>(high(g / 2) >> 28)); });
  set_values(out, 256, [&](int i) {
    const int l = i / 8 % 4;
    const unsigned signs = iq_signs((high(i / 32) >> (7 * l)) & 127);
    return signed_by(signs, i % 8, iq2_value(iq2_xxs_grid[b[2 + 8 * (i / 32) + l]], i % 8));
  });
}

void read_iq2_xs(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  set_scales(out, 16, [&](int g) { return iq2_scale(d, nibble(b[66 + g / 2], g % 2)); });
  set_values(out, 256, [&](int i) {
    const unsigned q = word(b + 2 + 2 * (i / 8));
    return signed_by(iq_signs(q >> 9), i % 8, iq2_value(iq2_xs_grid[q & 511], i % 8));
  });
}

void read_iq2_s(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  set_scales(out, 16, [&](int g) { return iq2_scale(d, nibble(b[74 + g / 2], g % 2)); });
  set_values(out, 256, [&](int i) {
    const int k = i / 8;
    const unsigned index = b[2 + k] | ((b[66 + k / 4] >> (2 * (k % 4))) & 3U) << 8;
    return signed_by(b[34 + k], i % 8, iq2_value(iq2_s_grid[index], i % 8));
  });
}

void read_iq3_xxs(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  const auto high = [&](int k) { return long_word(b + 66 + 4 * k); };
  set_scales(out, 16, [&](int g) { return d * (0.5F + static_cast<float>(high(g / 2) >> 28)) * 0.5F; });
  set_values(out, 256, [&](int i) {
    const unsigned signs = iq_signs((high(i / 32) >> (7 * (i / 8 % 4))) & 127);
    const int code = (iq3_xxs_grid[b[2 + i / 4]] >> (3 * (i % 4))) & 7;
    return signed_by(signs, i % 8, code == 7 ? 62 : 8 * code + 4);
  });
}

void read_iq3_s(const std::uint8_t* b, ValueBlock& out) {
  const float d = half_at(b);
  set_scales(out, 16, [&](int g) { return d * static_cast<float>(1 + 2 * nibble(b[106 + g / 4], g / 2 % 2)); });
  set_values(out, 256, [&](int i) {
    const unsigned index = b[2 + i / 4] | ((b[66 + i / 32] >> (i / 4 % 8)) & 1U) << 8;
    const int code = (iq3_s_grid[index] >> (3 * (i % 4))) & 7;
    return signed_by(b[74 + i / 8], i % 8, 2 * code + 1);
  });
}

}  // namespace

void read_value_block(DType type, const std::byte* block, ValueBlock& out) {
  const auto* b = reinterpret_cast<const std::uint8_t*>(block);
  switch (type) {
    case DType::q2_k: return read_q2_k(b, out);
    case DType::q3_k: return read_q3_k(b, out);
    case DType::q8_k: return read_q8_k(b, out);
    case DType::iq4_nl: return read_iq4_nl(b, out);
    case DType::iq4_xs: return read_iq4_xs(b, out);
    case DType::tq1_0: return read_tq1_0(b, out);
    case DType::tq2_0: return read_tq2_0(b, out);
    case DType::mxfp4: return read_mxfp4(b, out);
    case DType::nvfp4: return read_nvfp4(b, out);
    case DType::iq1_s: return read_iq1_s(b, out);
    case DType::iq1_m: return read_iq1_m(b, out);
    case DType::iq2_xxs: return read_iq2_xxs(b, out);
    case DType::iq2_xs: return read_iq2_xs(b, out);
    case DType::iq2_s: return read_iq2_s(b, out);
    case DType::iq3_xxs: return read_iq3_xxs(b, out);
    case DType::iq3_s: return read_iq3_s(b, out);
    default: assert(false);
  }
}

}  // namespace weft
