// Encoder of q5_k.
#include "core/quant/q5_k.hpp"

#include <algorithm>
#include <cstring>

#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode/k_codes.hpp"

namespace weft {

void encode_q5_k(const float* x, std::byte* block) {
  const KCodes k = k_codes(std::span<const float, 256>(x, 256), 31);
  BlockQ5_K b{};
  b.d = k.d;
  b.dmin = k.dmin;
  std::ranges::copy(k.scales, b.scales);
  for (std::size_t i = 0; i < sizeof b.qs; ++i) {
    const std::uint8_t* codes = &k.codes[64 * (i / 32) + i % 32];
    b.qs[i] = static_cast<std::uint8_t>((codes[0] & 15) | ((codes[32] & 15) << 4));
  }
  for (std::size_t i = 0; i < k.codes.size(); ++i) {
    b.qh[i % 32] = static_cast<std::uint8_t>(b.qh[i % 32] | ((k.codes[i] >> 4) << (i / 32)));
  }
  std::memcpy(block, &b, sizeof b);
}

}  // namespace weft
