// Random rows of valid quantised blocks.
#include "core/quant/random_blocks.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/half.hpp"
#include "core/quant/block_format.hpp"

namespace weft {
namespace {

/// For uniform codes: deviation of a decoded value is `deviation` times the first f16 field; the second field (a
/// minimum, or the minima's scale) is `second` times the first, which centres the values on zero.
struct FieldScale {
  double deviation = 1;
  double second = 0;
};

FieldScale field_scale(DType type) {
  switch (type) {
    case DType::q4_0: return {4.6, 0};      // 16 codes: sqrt((16^2 - 1) / 12)
    case DType::q4_1: return {4.6, -7.5};   // m = -d * 7.5
    case DType::q5_0: return {9.2, 0};      // 32 codes
    case DType::q5_1: return {9.2, -15.5};  // m = -d * 15.5
    case DType::q8_0: return {74, 0};       // 256 codes
    case DType::q4_k: return {250, 7.5};    // scales and minima are uniform in 0 to 63: mean 31.5, deviation 18.5
    case DType::q5_k: return {505, 15.5};
    case DType::q6_k: return {1370, 0};    // 18.5 from 64 codes times 74 from signed 8-bit scales
    case DType::q2_k: return {13.9, 1.5};  // scales and minima are uniform in 0 to 15, codes in 0 to 3
    case DType::q3_k: return {43.3, 0};    // the rest: measured on random bytes with a scale of 1
    case DType::q8_k: return {73.9, 0};
    case DType::iq1_s:
    case DType::iq1_m: return {7.2, 0};
    case DType::iq2_xxs: return {53.2, 0};
    case DType::iq2_xs:
    case DType::iq2_s: return {56.2, 0};
    case DType::iq3_xxs: return {142, 0};
    case DType::iq3_s: return {140, 0};
    case DType::iq4_nl: return {67.6, 0};
    case DType::iq4_xs: return {1241, 0};
    case DType::tq1_0: return {0.817, 0};
    case DType::tq2_0: return {1.23, 0};
    case DType::mxfp4:
    case DType::nvfp4: return {5.87, 0};
    default: return {};
  }
}

/// Eight bytes a draw; the last draw's spare bytes are dropped.
void fill_bytes(SeededRandom& random, std::span<std::byte> bytes) {
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t drawn = random.bits();
    std::memcpy(&bytes[i], &drawn, sizeof drawn);
  }
  const std::uint64_t last = random.bits();
  std::memcpy(bytes.data() + i, &last, bytes.size() - i);
}

}  // namespace

double SeededRandom::uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

double SeededRandom::normal() {  // Box and Muller, 1958
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return std::min(radius, 5.999) * std::cos(2 * std::numbers::pi * uniform());
}

void fill_random_blocks(DType type, SeededRandom& random, float scale, std::span<std::byte> blocks) {
  const auto block_bytes = static_cast<std::size_t>(info(type).block_bytes);
  assert(is_quantised(type) && blocks.size() % block_bytes == 0);
  const BlockFormat& format = block_format(type);
  const FieldScale fields = field_scale(type);
  for (std::size_t begin = 0; begin < blocks.size(); begin += block_bytes) {
    const std::span<std::byte> block = blocks.subspan(begin, block_bytes);
    fill_bytes(random, block);
    const double first = scale / fields.deviation * (0.75 + 0.5 * random.uniform());
    const std::array<double, 2> values{first, first * fields.second};
    if (format.set_scale != nullptr) format.set_scale(block.data(), static_cast<float>(first));
    for (std::size_t i = 0; i < format.half_count; ++i) {
      const std::uint16_t bits = f32_to_f16(static_cast<float>(values[i]));
      std::memcpy(&block[format.half_offsets[i]], &bits, sizeof bits);
    }
  }
}

}  // namespace weft
