// The 6-bit scales and minima that q4_k and q5_k share.
#pragma once

#include <cstdint>

namespace weft {

struct KScale {
  int scale = 0;
  int minimum = 0;
};

/// Sub-block k (0 to 7) of the 12 bytes `c`. The first four lie in the low 6 bits of c[k] and c[k + 4]; of the others,
/// the low 4 bits lie in the halves of c[k + 4] and the high 2 bits above the first four.
[[nodiscard]] inline KScale k_scale(const std::uint8_t* c, int k) {
  if (k < 4) return {c[k] & 63, c[k + 4] & 63};
  return {(c[k + 4] & 15) | ((c[k - 4] >> 6) << 4), (c[k + 4] >> 4) | ((c[k] >> 6) << 4)};
}

}  // namespace weft
