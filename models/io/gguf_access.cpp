// Typed access to the metadata of an open file, with errors that name file, key, found and wanted.
#include <fmt/format.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "models/io/gguf.hpp"
#include "models/io/gguf_values.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

tl::unexpected<Error> wrong_kind(const GgufFile& file, std::string_view key, std::string_view found,
                                 std::string_view wanted) {
  return fail(ErrorCode::invalid_file, "{}: metadata key '{}' is {}, {} wanted", printable(file.path().string(), 400),
              printable(key), found, wanted);
}

tl::unexpected<Error> missing(const GgufFile& file, std::string_view key, std::string_view wanted) {
  return fail(ErrorCode::invalid_file, "{}: metadata key '{}' is missing, {} wanted",
              printable(file.path().string(), 400), printable(key), wanted);
}

/// nullopt for a value that is no integer or bool, or an integer above 64-bit signed range.
std::optional<std::int64_t> as_integer(const GgufValue& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return *i;
  return std::nullopt;
}

std::optional<double> as_number(const GgufValue& value) {
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*u);
  return std::nullopt;
}

std::string found_text(const GgufValue& value) {
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *u);
  return std::string(kind_of(value));
}

/// Copies an array of numbers; arrays of bool are taken only where integers are wanted.
template <class Wanted>
std::optional<std::vector<Wanted>> as_numbers(const GgufArray& array) {
  if (const auto* same = std::get_if<std::vector<Wanted>>(&array)) return *same;
  if constexpr (std::is_same_v<Wanted, std::int64_t>) {
    if (const auto* bools = std::get_if<std::vector<std::uint8_t>>(&array)) {
      return std::vector<Wanted>(bools->begin(), bools->end());
    }
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&array)) {
    std::vector<Wanted> numbers;
    numbers.reserve(integers->size());
    for (const std::int64_t i : *integers) numbers.push_back(static_cast<double>(i));
    return numbers;
  }
  return std::nullopt;
}

/// Makes the optional form an error when the key is absent.
template <class T>
Result<T> required(const GgufFile& file, std::string_view key, Result<std::optional<T>> found,
                   std::string_view wanted) {
  if (!found) return error_of(found);
  if (!*found) return missing(file, key, wanted);
  return std::move(**found);
}

}  // namespace

Result<std::optional<std::int64_t>> GgufFile::integer(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::optional<std::int64_t>();
  const auto integer = as_integer(*value);
  if (!integer) {
    return wrong_kind(*this, key, found_text(*value),
                      fmt::format("an integer of at most {}", std::numeric_limits<std::int64_t>::max()));
  }
  return integer;
}

Result<std::optional<double>> GgufFile::number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::optional<double>();
  const auto number = as_number(*value);
  if (!number) return wrong_kind(*this, key, found_text(*value), "a number");
  return number;
}

Result<std::optional<bool>> GgufFile::boolean(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::optional<bool>();
  if (const auto* found = std::get_if<bool>(value)) return std::optional<bool>(*found);
  return wrong_kind(*this, key, found_text(*value), "a bool");
}

Result<std::optional<std::string>> GgufFile::text(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::optional<std::string>();
  if (const auto* found = std::get_if<std::string>(value)) return std::optional<std::string>(*found);
  return wrong_kind(*this, key, found_text(*value), "text");
}

Result<std::optional<std::vector<std::int64_t>>> GgufFile::integers(std::string_view key) const {
  using Integers = std::optional<std::vector<std::int64_t>>;
  const GgufValue* value = find(key);
  if (value == nullptr) return Integers();
  if (const auto* array = std::get_if<GgufArray>(value)) {
    if (auto integers = as_numbers<std::int64_t>(*array)) return integers;
  } else if (const auto integer = as_integer(*value)) {
    return Integers(std::vector<std::int64_t>{*integer});
  } else if (const auto* boolean = std::get_if<bool>(value)) {
    return Integers(std::vector<std::int64_t>{*boolean ? 1 : 0});
  }
  return wrong_kind(*this, key, found_text(*value), "integers or bools");
}

Result<std::optional<std::vector<double>>> GgufFile::numbers(std::string_view key) const {
  using Numbers = std::optional<std::vector<double>>;
  const GgufValue* value = find(key);
  if (value == nullptr) return Numbers();
  if (const auto* array = std::get_if<GgufArray>(value)) {
    if (auto numbers = as_numbers<double>(*array)) return numbers;
  } else if (const auto number = as_number(*value)) {
    return Numbers(std::vector<double>{*number});
  }
  return wrong_kind(*this, key, found_text(*value), "numbers");
}

Result<std::optional<std::span<const std::string>>> GgufFile::texts(std::string_view key) const {
  using Texts = std::optional<std::span<const std::string>>;
  const GgufValue* value = find(key);
  if (value == nullptr) return Texts();
  if (const auto* array = std::get_if<GgufArray>(value)) {
    if (const auto* texts = std::get_if<std::vector<std::string>>(array)) return Texts(*texts);
  }
  return wrong_kind(*this, key, found_text(*value), "an array of text");
}

Result<std::int64_t> GgufFile::required_integer(std::string_view key) const {
  return required<std::int64_t>(*this, key, integer(key), "an integer");
}

Result<double> GgufFile::required_number(std::string_view key) const {
  return required<double>(*this, key, number(key), "a number");
}

Result<std::string> GgufFile::required_text(std::string_view key) const {
  return required<std::string>(*this, key, text(key), "text");
}

}  // namespace weft::models
