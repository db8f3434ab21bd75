// Names of error codes and the joining of context to a message.
#include "core/result.hpp"

namespace weft {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::invalid_file: return "invalid_file";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::context_overflow: return "context_overflow";
    case ErrorCode::invalid_token: return "invalid_token";
    case ErrorCode::non_finite: return "non_finite";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

Error Error::within(std::string_view context) const { return {code, fmt::format("{}: {}", context, message)}; }

}  // namespace weft
