// Errors as values: one Error type, Result<T>, and the helpers that build, extend and pass them on.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace weft {

enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< a caller's value is out of its documented range
  invalid_file,      ///< a file is damaged, foreign, or contradicts itself
  unsupported,       ///< valid, but weft has no way to run it
  out_of_memory,     ///< an allocation would exceed, or exceeded, the memory there is
  context_overflow,  ///< a position at or beyond the context limit
  invalid_token,     ///< a token id outside the vocabulary
  non_finite,        ///< NaN or Inf where a number is needed
  device_lost,       ///< a device or driver failed
  cancelled,         ///< the caller asked to stop
  internal,          ///< a fault of weft itself
};

[[nodiscard]] std::string_view name_of(ErrorCode code);

/// What went wrong: `message` names what, where, found, wanted and what to do, in one line.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;

  /// Puts "context: " before the message, as an error leaves the function that knows the context.
  [[nodiscard]] Error within(std::string_view context) const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// Passes the error of a failed result on: `if (!r) return error_of(r);`
template <class T>
[[nodiscard]] tl::unexpected<Error> error_of(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}

/// The same, with the caller's context put before the message.
template <class T>
[[nodiscard]] tl::unexpected<Error> error_of(const Result<T>& failed, std::string_view context) {
  return tl::unexpected<Error>(failed.error().within(context));
}

}  // namespace weft
