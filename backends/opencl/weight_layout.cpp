// Planes of quantised weights.
#include "backends/opencl/weight_layout.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/quant/value_block.hpp"

namespace weft::opencl {

namespace {

bool has_minima(DType type) { return type == DType::q2_k; }

}  // namespace

std::vector<std::size_t> block_fields(DType type) {
  switch (type) {
    case DType::q4_0: return {2, 16};
    case DType::q4_1: return {4, 16};
    case DType::q8_0: return {2, 32};
    case DType::q5_0: return {2, 4, 16};
    case DType::q5_1: return {4, 4, 16};
    case DType::q4_k: return {4, 12, 128};
    case DType::q5_k: return {4, 12, 32, 128};
    case DType::q6_k: return {128, 64, 16, 2};
    default: break;
  }
  if (!is_value_type(type)) return {};
  const auto elements = static_cast<std::size_t>(info(type).block_elements);
  std::vector<std::size_t> fields{elements, elements / 4};  // a float for each 16
  if (has_minima(type)) fields.push_back(elements / 4);
  return fields;
}

void store_block(DType type, const std::byte* block, std::byte* out) {
  const auto elements = static_cast<std::size_t>(info(type).block_elements);
  if (!is_value_type(type)) {
    std::memcpy(out, block, static_cast<std::size_t>(info(type).block_bytes));
    return;
  }
  ValueBlock values;
  read_value_block(type, block, values);
  std::memcpy(out, values.values.data(), elements);
  std::memcpy(out + elements, values.scales.data(), elements / 4);
  if (has_minima(type)) std::memcpy(out + elements + elements / 4, values.minima.data(), elements / 4);
}

std::int64_t plane_blocks(std::int64_t blocks) {
  constexpr std::int64_t alignment = 256;
  return (blocks + alignment - 1) / alignment * alignment;
}

std::size_t planes_bytes(DType type, std::int64_t blocks) {
  const std::vector<std::size_t> fields = block_fields(type);
  return static_cast<std::size_t>(plane_blocks(blocks)) * std::accumulate(fields.begin(), fields.end(), std::size_t{0});
}

Status write_planes(DType type, std::span<const std::byte> packed,
                    const std::function<Status(std::size_t, std::span<const std::byte>)>& write) {
  constexpr std::size_t piece_blocks = 1 << 15;
  const auto block_bytes = static_cast<std::size_t>(info(type).block_bytes);
  const std::size_t blocks = packed.size() / block_bytes;
  const auto plane = static_cast<std::size_t>(plane_blocks(static_cast<std::int64_t>(blocks)));
  const std::vector<std::size_t> fields = block_fields(type);
  const std::size_t stored_bytes = std::accumulate(fields.begin(), fields.end(), std::size_t{0});
  std::vector<std::byte> stored;
  std::vector<std::byte> piece;
  for (std::size_t begin = 0; begin < blocks; begin += piece_blocks) {
    const std::size_t count = std::min(piece_blocks, blocks - begin);
    stored.resize(count * stored_bytes);
    for (std::size_t b = 0; b < count; ++b) {
      store_block(type, packed.data() + (begin + b) * block_bytes, stored.data() + b * stored_bytes);
    }
    std::size_t before = 0;
    for (const std::size_t field : fields) {
      piece.resize(count * field);
      for (std::size_t b = 0; b < count; ++b) {
        std::memcpy(piece.data() + b * field, stored.data() + b * stored_bytes + before, field);
      }
      if (Status ok = write(plane * before + begin * field, piece); !ok) return ok;
      before += field;
    }
  }
  return {};
}

WeightLayout layout_of(const SegmentValue& constant) {
  const TensorDesc& whole = constant.constant->desc;
  const bool all = constant.byte_offset == 0 && constant.desc == whole;
  // Value types: all of the tensor's storage is taken apart, so that rows keep their distance.
  const bool splits = is_value_type(whole.dtype) || (is_quantised(whole.dtype) && whole.is_dense());
  return all && splits ? WeightLayout::planes : WeightLayout::blocks;
}

std::int64_t stored_blocks(const HostTensor& tensor) {
  return static_cast<std::int64_t>(tensor.data.size()) / info(tensor.desc.dtype).block_bytes;
}

std::int64_t row_blocks(const TensorDesc& desc) {
  return desc.shape.rank() < 2 ? 0 : desc.strides[desc.shape.rank() - 2] / info(desc.dtype).block_elements;
}

bool stored_alike(const Operand& a, const Operand& b) {
  return a.desc.dtype == b.desc.dtype && (a.plane_blocks > 0) == (b.plane_blocks > 0);
}

Status define_weight(Launch& launch, const Operand& weight) {
  const DType type = weight.desc.dtype;
  if (is_value_type(type) && weight.plane_blocks == 0) {
    return fail(
        ErrorCode::unsupported,
        "{} is a part of a {} weight, or made by a step: the device reads whole constants only; use --backend cpu",
        weight.name, name_of(type));
  }
  launch.define("W_TYPE", !is_value_type(type) ? name_of(type) : (has_minima(type) ? "values_minima" : "values"));
  if (is_value_type(type)) launch.define("W_UNITS", info(type).block_elements / 16);
  launch.define("W_PLAIN", std::int64_t{!is_quantised(weight.desc.dtype)});
  launch.define("PLANES", std::int64_t{weight.plane_blocks > 0});
  return {};
}

}  // namespace weft::opencl
