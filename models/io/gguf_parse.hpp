// The parts of one GGUF file before its data: header, metadata, tensor records, all checked against the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "models/io/byte_reader.hpp"
#include "models/io/gguf.hpp"

namespace weft::models {

inline constexpr std::uint64_t default_alignment = 32;
/// Powers of two in this range are accepted. The least keeps every element type of the format aligned in memory.
inline constexpr std::uint64_t min_alignment = 8;
inline constexpr std::uint64_t max_alignment = std::uint64_t{1} << 20;
inline constexpr std::uint32_t max_dimensions = 4;
inline constexpr std::size_t max_tensor_name = 63;  ///< bytes
inline constexpr std::size_t max_key = 65535;       ///< bytes

[[nodiscard]] constexpr bool is_alignment(std::uint64_t value) {
  return value >= min_alignment && value <= max_alignment && (value & (value - 1)) == 0;
}

/// The first multiple of `alignment` at or after `value`, which must be at most 2^64 - alignment.
[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// What stands before the data, and where the data is.
struct GgufContents {
  std::uint32_t version = 0;
  std::uint64_t alignment = default_alignment;
  std::vector<std::pair<std::string, GgufValue>> metadata;
  std::vector<std::span<const std::byte>> stored;  ///< type and value of each pair, as in the file
  std::vector<GgufTensor> tensors;
  std::uint64_t data_begin = 0;  ///< bytes from the start of the file; at most the file's size
};

/// Parses and checks a whole file. Every tensor of the result lies inside the file and overlaps no other.
/// Errors: invalid_file, unsupported; messages don't name the file, the caller does.
[[nodiscard]] Result<GgufContents> parse_gguf(std::span<const std::byte> file);

/// Reads `count` tensor records. Names are unique, dimensions, type and size checked, offsets multiples of `alignment`.
[[nodiscard]] Result<std::vector<GgufTensor>> read_tensor_records(ByteReader& reader, std::uint64_t count,
                                                                  std::uint64_t alignment);

/// Checks that each tensor lies within the `data_bytes` of the data section and that no two overlap.
[[nodiscard]] Status check_layout(std::span<const GgufTensor> tensors, std::uint64_t data_bytes,
                                  std::uint64_t alignment);

/// Bytes of a tensor of this type. Errors: unsupported (removed type), invalid_file (unknown id, dimension above 63
/// bits, overflow of the element or byte count, a row that is no whole number of blocks).
[[nodiscard]] Result<std::uint64_t> tensor_bytes(std::uint32_t ggml_type, std::span<const std::int64_t> dims);

}  // namespace weft::models
