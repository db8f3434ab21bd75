// Reads metadata values, widening numbers: integers to 64 bits, floats to double.
#include "models/io/gguf_values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::models {
namespace {

constexpr std::array<std::string_view, 13> type_names{"uint8",  "int8",    "uint16", "int16", "uint32",
                                                      "int32",  "float32", "bool",   "text",  "array",
                                                      "uint64", "int64",   "float64"};
constexpr auto max_i64 = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

Result<bool> checked_bool(std::uint8_t stored) {
  if (stored > 1) return fail(ErrorCode::invalid_file, "a bool holds {}, 0 or 1 wanted; the file is damaged", stored);
  return stored == 1;
}

template <class Stored>
Result<GgufValue> read_number(ByteReader& reader) {
  const auto stored = reader.read<Stored>();
  if (!stored) return error_of(stored);
  if constexpr (std::is_floating_point_v<Stored>) {
    return GgufValue(static_cast<double>(*stored));
  } else if constexpr (std::is_same_v<Stored, std::uint64_t>) {
    if (*stored > max_i64) return GgufValue(*stored);
  }
  return GgufValue(static_cast<std::int64_t>(*stored));
}

Result<GgufValue> read_bool(ByteReader& reader) {
  const auto stored = reader.read<std::uint8_t>();
  if (!stored) return error_of(stored);
  const auto value = checked_bool(*stored);
  if (!value) return error_of(value);
  return GgufValue(*value);
}

Result<GgufValue> read_text(ByteReader& reader) {
  const auto text = reader.read_string();
  if (!text) return error_of(text);
  return GgufValue(std::string(*text));
}

/// The bytes of `count` elements of `element_bytes` at least each, without multiplying untrusted numbers first.
Status check_count(const ByteReader& reader, std::uint64_t count, std::uint64_t element_bytes) {
  if (count <= reader.remaining() / element_bytes) return {};
  return fail(ErrorCode::invalid_file, "{} elements of at least {} bytes wanted, but the file has {} bytes left", count,
              element_bytes, reader.remaining());
}

template <class Stored>
Result<GgufArray> read_numbers(ByteReader& reader, std::uint64_t count) {
  using Wide = std::conditional_t<std::is_floating_point_v<Stored>, double, std::int64_t>;
  if (auto fits = check_count(reader, count, sizeof(Stored)); !fits) return error_of(fits);
  const auto bytes = reader.take(count * sizeof(Stored));
  if (!bytes) return error_of(bytes);
  std::vector<Wide> wide(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < wide.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes->data() + i * sizeof(Stored), sizeof(Stored));
    if constexpr (std::is_same_v<Stored, std::uint64_t>) {
      if (stored > max_i64) {
        return fail(ErrorCode::unsupported, "element {} is {}, at most {} wanted", i, stored, max_i64);
      }
    }
    wide[i] = static_cast<Wide>(stored);
  }
  return GgufArray(std::move(wide));
}

Result<GgufArray> read_bools(ByteReader& reader, std::uint64_t count) {
  const auto bytes = reader.take(count);
  if (!bytes) return error_of(bytes);
  std::vector<std::uint8_t> bools(bytes->size());
  for (std::size_t i = 0; i < bools.size(); ++i) {
    const auto value = checked_bool(static_cast<std::uint8_t>((*bytes)[i]));
    if (!value) return error_of(value, fmt::format("element {}", i));
    bools[i] = static_cast<std::uint8_t>(*value);
  }
  return GgufArray(std::move(bools));
}

Result<GgufArray> read_texts(ByteReader& reader, std::uint64_t count) {
  if (auto fits = check_count(reader, count, sizeof(std::uint64_t)); !fits) return error_of(fits);
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto text = reader.read_string();
    if (!text) return error_of(text, fmt::format("element {}", i));
    texts.emplace_back(*text);
  }
  return GgufArray(std::move(texts));
}

Result<GgufArray> read_elements(ByteReader& reader, GgufType element, std::uint64_t count) {
  switch (element) {
    case GgufType::u8: return read_numbers<std::uint8_t>(reader, count);
    case GgufType::i8: return read_numbers<std::int8_t>(reader, count);
    case GgufType::u16: return read_numbers<std::uint16_t>(reader, count);
    case GgufType::i16: return read_numbers<std::int16_t>(reader, count);
    case GgufType::u32: return read_numbers<std::uint32_t>(reader, count);
    case GgufType::i32: return read_numbers<std::int32_t>(reader, count);
    case GgufType::u64: return read_numbers<std::uint64_t>(reader, count);
    case GgufType::i64: return read_numbers<std::int64_t>(reader, count);
    case GgufType::f32: return read_numbers<float>(reader, count);
    case GgufType::f64: return read_numbers<double>(reader, count);
    case GgufType::boolean: return read_bools(reader, count);
    case GgufType::text: return read_texts(reader, count);
    case GgufType::array: return fail(ErrorCode::unsupported, "is an array of arrays, which weft doesn't read");
  }
  return fail(ErrorCode::invalid_file, "array element type is {}, 0 to 12 wanted", static_cast<std::uint32_t>(element));
}

Result<GgufValue> read_array(ByteReader& reader) {
  const auto element = reader.read<std::uint32_t>();
  if (!element) return error_of(element, "array element type");
  const auto count = reader.read<std::uint64_t>();
  if (!count) return error_of(count, "array count");
  auto array = read_elements(reader, static_cast<GgufType>(*element), *count);
  if (!array) return error_of(array);
  return GgufValue(std::move(*array));
}

struct Kind {
  std::string_view operator()(std::int64_t) const { return "integer"; }
  std::string_view operator()(std::uint64_t) const { return "integer"; }
  std::string_view operator()(double) const { return "float"; }
  std::string_view operator()(bool) const { return "bool"; }
  std::string_view operator()(const std::string&) const { return "text"; }
  std::string_view operator()(const GgufArray& array) const {
    constexpr std::array<std::string_view, 4> kinds{"array of integer", "array of float", "array of bool",
                                                    "array of text"};
    return kinds[array.index()];
  }
};

}  // namespace

std::string_view name_of(GgufType type) {
  const auto id = static_cast<std::uint32_t>(type);
  return id < type_names.size() ? type_names[id] : "unknown";
}

Result<GgufValue> read_value(ByteReader& reader, GgufType type) {
  switch (type) {
    case GgufType::u8: return read_number<std::uint8_t>(reader);
    case GgufType::i8: return read_number<std::int8_t>(reader);
    case GgufType::u16: return read_number<std::uint16_t>(reader);
    case GgufType::i16: return read_number<std::int16_t>(reader);
    case GgufType::u32: return read_number<std::uint32_t>(reader);
    case GgufType::i32: return read_number<std::int32_t>(reader);
    case GgufType::u64: return read_number<std::uint64_t>(reader);
    case GgufType::i64: return read_number<std::int64_t>(reader);
    case GgufType::f32: return read_number<float>(reader);
    case GgufType::f64: return read_number<double>(reader);
    case GgufType::boolean: return read_bool(reader);
    case GgufType::text: return read_text(reader);
    case GgufType::array: return read_array(reader);
  }
  return fail(ErrorCode::invalid_file, "value type is {}, 0 to 12 wanted", static_cast<std::uint32_t>(type));
}

std::string_view kind_of(const GgufValue& value) { return std::visit(Kind{}, value); }

}  // namespace weft::models
