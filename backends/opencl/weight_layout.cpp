// Planes of quantised weights.
#include "backends/opencl/weight_layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft::opencl {

std::span<const std::uint8_t> block_fields(DType type) {
  static constexpr std::array<std::uint8_t, 2> q4_0{2, 16}, q4_1{4, 16}, q8_0{2, 32};
  static constexpr std::array<std::uint8_t, 3> q5_0{2, 4, 16}, q5_1{4, 4, 16}, q4_k{4, 12, 128};
  static constexpr std::array<std::uint8_t, 4> q5_k{4, 12, 32, 128}, q6_k{128, 64, 16, 2};
  switch (type) {
    case DType::q4_0: return q4_0;
    case DType::q4_1: return q4_1;
    case DType::q5_0: return q5_0;
    case DType::q5_1: return q5_1;
    case DType::q8_0: return q8_0;
    case DType::q4_k: return q4_k;
    case DType::q5_k: return q5_k;
    case DType::q6_k: return q6_k;
    default: return {};
  }
}

std::int64_t plane_blocks(std::int64_t blocks) {
  constexpr std::int64_t alignment = 256;
  return (blocks + alignment - 1) / alignment * alignment;
}

std::size_t planes_bytes(DType type, std::int64_t blocks) {
  return static_cast<std::size_t>(plane_blocks(blocks) * info(type).block_bytes);
}

Status write_planes(DType type, std::span<const std::byte> packed,
                    const std::function<Status(std::size_t, std::span<const std::byte>)>& write) {
  constexpr std::size_t piece_blocks = 1 << 15;
  const auto block_bytes = static_cast<std::size_t>(info(type).block_bytes);
  const std::size_t blocks = packed.size() / block_bytes;
  const auto plane = static_cast<std::size_t>(plane_blocks(static_cast<std::int64_t>(blocks)));
  std::vector<std::byte> piece;
  std::size_t before = 0;
  for (const std::size_t field : block_fields(type)) {
    for (std::size_t begin = 0; begin < blocks; begin += piece_blocks) {
      const std::size_t count = std::min(piece_blocks, blocks - begin);
      piece.resize(count * field);
      for (std::size_t b = 0; b < count; ++b) {
        std::memcpy(piece.data() + b * field, packed.data() + (begin + b) * block_bytes + before, field);
      }
      if (Status ok = write(plane * before + begin * field, piece); !ok) return ok;
    }
    before += field;
  }
  return {};
}

WeightLayout layout_of(const SegmentValue& constant) {
  const TensorDesc& whole = constant.constant->desc;
  const bool all = constant.byte_offset == 0 && constant.desc == whole && whole.is_dense();
  return all && !block_fields(whole.dtype).empty() ? WeightLayout::planes : WeightLayout::blocks;
}

std::int64_t row_blocks(const TensorDesc& desc) {
  return desc.shape.rank() < 2 ? 0 : desc.strides[desc.shape.rank() - 2] / info(desc.dtype).block_elements;
}

bool stored_alike(const Operand& a, const Operand& b) {
  return a.desc.dtype == b.desc.dtype && (a.plane_blocks > 0) == (b.plane_blocks > 0);
}

void define_weight(Launch& launch, const Operand& weight) {
  launch.define("W_TYPE", name_of(weight.desc.dtype));
  launch.define("W_PLAIN", std::int64_t{!is_quantised(weight.desc.dtype)});
  launch.define("PLANES", std::int64_t{weight.plane_blocks > 0});
}

}  // namespace weft::opencl
