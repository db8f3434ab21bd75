// A buffer of a backend with patterned bytes before and after an operand, to see writes out of bounds and results
// made of reads out of bounds. Works on device memory through a queue.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/backend.hpp"
#include "core/conformance/sample_case.hpp"

namespace weft::conformance {

inline constexpr std::size_t guard_bytes = 256;

/// Who adds the guard's length to the operand's place.
enum class OffsetIn : std::uint8_t {
  binding,  ///< BufferView::offset
  value,    ///< SegmentValue::byte_offset
};

class GuardedBuffer {
 public:
  struct Request {
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::arena;
    OffsetIn offset_in = OffsetIn::binding;
  };
  [[nodiscard]] static Result<GuardedBuffer> make(Backend& backend, const Request& request);

  [[nodiscard]] BufferView binding() const;
  [[nodiscard]] std::size_t value_offset() const { return offset_in_ == OffsetIn::value ? guard_bytes : 0; }
  /// Writes guards and content; `content` has the requested size.
  [[nodiscard]] Status fill(Queue& queue, std::span<const std::byte> content);
  /// Content and, where a guard was written to, what happened.
  struct Contents {
    Bytes bytes;
    std::string damage;
  };
  [[nodiscard]] Result<Contents> read(Queue& queue) const;

 private:
  std::unique_ptr<Buffer> buffer_;
  std::size_t bytes_ = 0;
  OffsetIn offset_in_ = OffsetIn::binding;
};

/// Guards around `content`: what a GuardedBuffer holds.
[[nodiscard]] Bytes with_guards(std::span<const std::byte> content);
/// Says which guard byte of `guarded` was overwritten; empty if none was.
[[nodiscard]] std::string guard_damage(std::span<const std::byte> guarded);

}  // namespace weft::conformance
