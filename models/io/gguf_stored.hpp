// Metadata values with the types that files store them as.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/result.hpp"
#include "models/io/byte_reader.hpp"

namespace weft::models {

/// An array with the element type it is stored as. (monostate keeps the index equal to the type id; it can't be
/// written: the format's readers refuse arrays of arrays.)
using GgufStoredArray = std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::uint16_t>,
                                     std::vector<std::int16_t>, std::vector<std::uint32_t>, std::vector<std::int32_t>,
                                     std::vector<float>, std::vector<bool>, std::vector<std::string>, std::monostate,
                                     std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>>;

/// A value with the type it is stored as: the alternative's index is the type id in the file.
using GgufStoredValue =
    std::variant<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, float, bool,
                 std::string, GgufStoredArray, std::uint64_t, std::int64_t, double>;

/// Reads a value: its type id, then what that asks for. Errors: those of read_value (gguf_values.hpp).
[[nodiscard]] Result<GgufStoredValue> read_stored_value(ByteReader& reader);

}  // namespace weft::models
