// A cursor over untrusted bytes: every read is checked against what is left, so nothing can run past the end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "core/result.hpp"

namespace weft::models {

static_assert(std::endian::native == std::endian::little, "file fields are little-endian and copied as they are");

/// Views returned point into the bytes given to the constructor, which must outlive them.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t remaining() const { return bytes_.size() - position_; }

  /// The next `count` bytes. Errors: invalid_file when fewer are left.
  [[nodiscard]] Result<std::span<const std::byte>> take(std::uint64_t count) {
    if (count > remaining()) {
      return fail(ErrorCode::invalid_file,
                  "{} bytes wanted at byte {}, but the file has {} left; it is cut short or damaged", count, position_,
                  remaining());
    }
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  [[nodiscard]] Result<T> read() {
    const auto bytes = take(sizeof(T));
    if (!bytes) return error_of(bytes);
    T value;
    std::memcpy(&value, bytes->data(), sizeof(T));
    return value;
  }

  /// A string: 64-bit length, then that many bytes of any value.
  [[nodiscard]] Result<std::string_view> read_string() {
    const auto length = read<std::uint64_t>();
    if (!length) return error_of(length, "string length");
    const auto bytes = take(*length);
    if (!bytes) return error_of(bytes, "string");
    return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace weft::models
