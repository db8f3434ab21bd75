// The grids that the iq formats index: facts of the formats, without a formula.
#pragma once

#include <array>
#include <cstdint>

namespace weft {

/// Eight elements an entry, 2 bits each, the first lowest. iq1: code - 1; iq2: 8, 25, 43 for codes 0, 1, 2.
extern const std::array<std::uint16_t, 2048> iq1_grid;
extern const std::array<std::uint16_t, 256> iq2_xxs_grid;
extern const std::array<std::uint16_t, 512> iq2_xs_grid;
extern const std::array<std::uint16_t, 1024> iq2_s_grid;
/// Four elements an entry, 3 bits each, the first lowest. iq3_xxs: 8 code + 4, but 62 for 7; iq3_s: 2 code + 1.
extern const std::array<std::uint16_t, 256> iq3_xxs_grid;
extern const std::array<std::uint16_t, 512> iq3_s_grid;

/// Signs of eight elements from the seven stored bits: the eighth makes the number of negatives even.
[[nodiscard]] inline unsigned iq_signs(unsigned seven) {
  unsigned parity = seven ^ (seven >> 4);
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return seven | (parity & 1) << 7;
}

/// out[j] = scale * element j, negative where bit j of `signs` is set; 8 elements.
inline void iq2_decode8(unsigned entry, unsigned signs, float scale, float* out) {
  constexpr std::array<float, 4> values{8, 25, 43, 0};
  for (unsigned j = 0; j < 8; ++j) {
    const float y = scale * values[(entry >> (2 * j)) & 3];
    out[j] = ((signs >> j) & 1) != 0 ? -y : y;
  }
}

/// out[j] = scale * (element j + delta); 8 elements.
inline void iq1_decode8(unsigned entry, float delta, float scale, float* out) {
  for (unsigned j = 0; j < 8; ++j) {
    out[j] = scale * (static_cast<float>(static_cast<int>((entry >> (2 * j)) & 3) - 1) + delta);
  }
}

}  // namespace weft
