// Reads metadata values without widening them, so that a file can be written again bit for bit.
#include "models/io/gguf_stored.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

namespace weft::models {
namespace {

template <class T>
Result<T> read_one(ByteReader& reader) {
  if constexpr (std::is_same_v<T, std::string>) {
    const auto text = reader.read_string();
    if (!text) return error_of(text);
    return std::string(*text);
  } else if constexpr (std::is_same_v<T, bool>) {
    const auto stored = reader.read<std::uint8_t>();
    if (!stored) return error_of(stored);
    if (*stored > 1) return fail(ErrorCode::invalid_file, "a bool holds {}, 0 or 1 wanted", *stored);
    return *stored == 1;
  } else {
    return reader.read<T>();
  }
}

/// Least bytes of an element in the file.
template <class T>
constexpr std::uint64_t stored_bytes = std::is_same_v<T, std::string> ? sizeof(std::uint64_t) : sizeof(T);

template <class T>
Result<GgufStoredArray> read_vector(ByteReader& reader, std::uint64_t count) {
  if (count > reader.remaining() / stored_bytes<T>) {
    return fail(ErrorCode::invalid_file, "{} elements wanted, but the file has {} bytes left", count,
                reader.remaining());
  }
  std::vector<T> elements;
  elements.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    auto element = read_one<T>(reader);
    if (!element) return error_of(element, fmt::format("element {}", i));
    elements.push_back(std::move(*element));
  }
  return GgufStoredArray(std::move(elements));
}

/// Calls `use` with a null pointer to the alternative of `Variant` that has this index.
template <class Variant, class Use, std::size_t... I>
auto with_alternative(std::size_t index, Use use, std::index_sequence<I...>) {
  decltype(use(static_cast<std::variant_alternative_t<0, Variant>*>(nullptr))) result;
  static_cast<void>(
      ((I == index && (result = use(static_cast<std::variant_alternative_t<I, Variant>*>(nullptr)), true)) || ...));
  return result;
}

template <class Variant>
using Alternatives = std::make_index_sequence<std::variant_size_v<Variant>>;

Result<GgufStoredArray> read_array(ByteReader& reader) {
  const auto type = reader.read<std::uint32_t>();
  if (!type) return error_of(type, "array element type");
  const auto count = reader.read<std::uint64_t>();
  if (!count) return error_of(count, "array count");
  if (*type >= std::variant_size_v<GgufStoredArray>) {
    return fail(ErrorCode::invalid_file, "array element type is {}, 0 to 12 wanted", *type);
  }
  const auto read = [&]<class T>(const std::vector<T>*) { return read_vector<T>(reader, *count); };
  struct Reader : decltype(read) {
    using decltype(read)::operator();
    Result<GgufStoredArray> operator()(const std::monostate*) const {
      return fail(ErrorCode::unsupported, "is an array of arrays, which weft doesn't read");
    }
  };
  return with_alternative<GgufStoredArray>(*type, Reader{read}, Alternatives<GgufStoredArray>{});
}

}  // namespace

Result<GgufStoredValue> read_stored_value(ByteReader& reader) {
  const auto type = reader.read<std::uint32_t>();
  if (!type) return error_of(type, "value type");
  if (*type >= std::variant_size_v<GgufStoredValue>) {
    return fail(ErrorCode::invalid_file, "value type is {}, 0 to 12 wanted", *type);
  }
  const auto read = [&]<class T>(const T*) -> Result<GgufStoredValue> {
    if constexpr (std::is_same_v<T, GgufStoredArray>) {
      auto array = read_array(reader);
      if (!array) return error_of(array);
      return GgufStoredValue(std::move(*array));
    } else {
      auto value = read_one<T>(reader);
      if (!value) return error_of(value);
      return GgufStoredValue(std::in_place_type<T>, std::move(*value));
    }
  };
  return with_alternative<GgufStoredValue>(*type, read, Alternatives<GgufStoredValue>{});
}

}  // namespace weft::models
