// Metadata values as they are stored: type ids, and reading one value with every length checked.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.hpp"
#include "models/io/byte_reader.hpp"
#include "models/io/gguf.hpp"

namespace weft::models {

/// Type ids of metadata values and array elements, as the file stores them (32 bits).
enum class GgufType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  text = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

/// "uint32", "array", …; "unknown" for ids that the format doesn't have.
[[nodiscard]] std::string_view name_of(GgufType type);

/// Reads a value of this type. Errors: invalid_file (unknown type, count or length beyond the file, a bool that is
/// neither 0 nor 1), unsupported (array in an array, array element above 64-bit signed range).
[[nodiscard]] Result<GgufValue> read_value(ByteReader& reader, GgufType type);

/// What a value is, for messages and listings: "integer", "float", "bool", "text", "array of integer", …
[[nodiscard]] std::string_view kind_of(const GgufValue& value);

}  // namespace weft::models
