// The table of encoders, and rows encoded through it.
#include "core/quant/encode/encoder.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "core/quant/encode/block_encoders.hpp"
#include "core/quant/encode_row.hpp"

namespace weft {
namespace {

using EncodeBlock = void (*)(const float* x, std::byte* block);

/// The block encoder of a type; null for plain numbers and for types without one.
EncodeBlock block_encoder(DType type) {
  switch (type) {
    case DType::q4_0: return encode_q4_0;
    case DType::q4_1: return encode_q4_1;
    case DType::q5_0: return encode_q5_0;
    case DType::q5_1: return encode_q5_1;
    case DType::q8_0: return encode_q8_0;
    case DType::q4_k: return encode_q4_k;
    case DType::q5_k: return encode_q5_k;
    case DType::q6_k: return encode_q6_k;
    default: return nullptr;
  }
}

constexpr std::array encodable{DType::f32,  DType::f16,  DType::bf16, DType::q8_0, DType::q6_k, DType::q5_k,
                               DType::q5_1, DType::q5_0, DType::q4_k, DType::q4_1, DType::q4_0};

}  // namespace

std::span<const DType> encodable_types() { return encodable; }

bool can_encode(DType type) { return std::ranges::find(encodable, type) != encodable.end(); }

void encode_weights(DType type, std::span<const float> values, std::byte* row) {
  assert(can_encode(type));
  const EncodeBlock encode = block_encoder(type);
  if (encode == nullptr) return encode_row(type, values, row);
  const DTypeInfo& sizes = info(type);
  const auto block = static_cast<std::size_t>(sizes.block_elements);
  assert(values.size() % block == 0);
  for (std::size_t i = 0; i < values.size(); i += block, row += sizes.block_bytes) encode(values.data() + i, row);
}

}  // namespace weft
