// How weights lie in device memory. Plain types as in the file. Quantised ones as planes: each field of a block
// (scales, high bits, codes …) of all blocks together, so that every field is aligned to its size and neighbours read
// together. The fields of value types (core/quant/value_block.hpp) are those of the taken apart block: a signed byte an
// element, f32 scales of 16 elements and, for q2_k, their f32 minima. So one decoder serves all of them, and one
// program all of the same block length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backends/opencl/launch.hpp"
#include "core/dtype.hpp"

namespace weft::opencl {

enum class WeightLayout : std::uint8_t { blocks, planes };

/// Sizes in bytes of the fields of a stored block, in order; empty for types that are not split.
[[nodiscard]] std::vector<std::size_t> block_fields(DType type);

/// Writes a block of a file as it is stored, field after field, to block_fields() bytes at `out`.
void store_block(DType type, const std::byte* block, std::byte* out);

/// Blocks that each plane has room for: at least `blocks`, and such that every plane starts at a multiple of 256 bytes.
[[nodiscard]] std::int64_t plane_blocks(std::int64_t blocks);

/// Bytes of all planes.
[[nodiscard]] std::size_t planes_bytes(DType type, std::int64_t blocks);

/// Cuts packed blocks into planes, piece by piece: calls `write(offset, bytes)` for each piece of each plane.
[[nodiscard]] Status write_planes(DType type, std::span<const std::byte> packed,
                                  const std::function<Status(std::size_t, std::span<const std::byte>)>& write);

/// Blocks in the storage of a constant, gaps between rows included.
[[nodiscard]] std::int64_t stored_blocks(const HostTensor& tensor);

/// Planes for a whole quantised constant; blocks for plain types, for views of a part and for rows with gaps, of which
/// only value types have planes.
[[nodiscard]] WeightLayout layout_of(const SegmentValue& constant);

/// Stride of a row in blocks (elements for plain types).
[[nodiscard]] std::int64_t row_blocks(const TensorDesc& desc);
/// Whether one program can read both weights.
[[nodiscard]] bool stored_alike(const Operand& a, const Operand& b);
/// Adds W_TYPE, W_PLAIN and PLANES; for value types W_UNITS, the runs of 16 elements in a block.
/// Errors: unsupported (a weight of a value type that is a part of a constant or made by a step: it has no planes).
[[nodiscard]] Status define_weight(Launch& launch, const Operand& weight);

}  // namespace weft::opencl
