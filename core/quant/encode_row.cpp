// Encoders of the KV cache's types.
#include "core/quant/encode_row.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "core/half.hpp"
#include "core/quant/q4_0.hpp"
#include "core/quant/q8_0.hpp"

namespace weft {
namespace {

BlockQ8_0 encode_q8_0(const float* x) {
  float largest = 0;
  for (int i = 0; i < BlockQ8_0::elements; ++i) largest = std::max(largest, std::abs(x[i]));
  const float d = largest / 127.0F;
  const float inverse = d > 0 ? 1.0F / d : 0.0F;
  BlockQ8_0 block;
  block.d = f32_to_f16(d);
  for (int i = 0; i < BlockQ8_0::elements; ++i) {
    const float q = std::clamp(std::round(x[i] * inverse), -127.0F, 127.0F);
    block.qs[i] = static_cast<std::int8_t>(std::isnan(q) ? 0.0F : q);
  }
  return block;
}

std::uint8_t code_q4_0(float x, float inverse) {
  const float code = x * inverse + 8.5F;
  return static_cast<std::uint8_t>(code > 0 ? std::min(code, 15.0F) : 0.0F);
}

BlockQ4_0 encode_q4_0(const float* x) {
  const float* extreme =
      std::max_element(x, x + BlockQ4_0::elements, [](float a, float b) { return std::abs(a) < std::abs(b); });
  const float d = *extreme / -8.0F;
  const float inverse = d != 0 ? 1.0F / d : 0.0F;
  BlockQ4_0 block;
  block.d = f32_to_f16(d);
  for (int j = 0; j < 16; ++j) {
    block.qs[j] = static_cast<std::uint8_t>(code_q4_0(x[j], inverse) | (code_q4_0(x[j + 16], inverse) << 4));
  }
  return block;
}

template <class Block, class Encode>
void encode_blocks(std::span<const float> values, std::byte* row, Encode encode) {
  for (std::size_t i = 0; i < values.size(); i += Block::elements, row += sizeof(Block)) {
    const Block block = encode(values.data() + i);
    std::memcpy(row, &block, sizeof block);
  }
}

void encode_halves(DType type, std::span<const float> values, std::byte* row) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = type == DType::f16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
    std::memcpy(row + 2 * i, &bits, sizeof bits);
  }
}

}  // namespace

void encode_row(DType type, std::span<const float> values, std::byte* row) {
  switch (type) {
    case DType::f32: std::memcpy(row, values.data(), values.size_bytes()); return;
    case DType::f16:
    case DType::bf16: encode_halves(type, values, row); return;
    case DType::q8_0: encode_blocks<BlockQ8_0>(values, row, encode_q8_0); return;
    case DType::q4_0: encode_blocks<BlockQ4_0>(values, row, encode_q4_0); return;
    default: assert(!"a type that a KV cache may have"); return;
  }
}

}  // namespace weft
