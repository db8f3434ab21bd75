// Guard patterns and whole-buffer transfers.
#include "core/conformance/guarded_buffer.hpp"

#include <algorithm>

namespace weft::conformance {
namespace {

/// Neighbouring guard bytes differ, so that a copied or shifted guard shows. Every aligned f32, f16 and bf16 of them is
/// NaN (odd bytes 0xFF, even ones 0x81 and up), so that a result which takes a number from a guard shows, too.
std::byte pattern(std::size_t i) {
  constexpr std::size_t values = 0xFF - 0x81;
  return i % 2 == 1 ? std::byte{0xFF} : static_cast<std::byte>(0x81 + 37 * i % values);
}

}  // namespace

Bytes with_guards(std::span<const std::byte> content) {
  Bytes all(content.size() + 2 * guard_bytes);
  for (std::size_t i = 0; i < guard_bytes; ++i) {
    all[i] = pattern(i);
    all[guard_bytes + content.size() + i] = pattern(i);
  }
  std::ranges::copy(content, all.begin() + guard_bytes);
  return all;
}

std::string guard_damage(std::span<const std::byte> guarded) {
  const std::size_t content = guarded.size() - 2 * guard_bytes;
  for (std::size_t i = 0; i < guard_bytes; ++i) {
    if (guarded[guard_bytes + content + i] != pattern(i)) return fmt::format("byte {} after the end was written", i);
  }
  for (std::size_t i = guard_bytes; i-- > 0;) {
    if (guarded[i] != pattern(i)) return fmt::format("byte {} before the start was written", guard_bytes - i);
  }
  return "";
}

Result<GuardedBuffer> GuardedBuffer::make(Backend& backend, const Request& request) {
  auto buffer = backend.allocate(request.bytes + 2 * guard_bytes, request.kind);
  if (!buffer) return error_of(buffer, "allocate");
  GuardedBuffer guarded;
  guarded.buffer_ = std::move(*buffer);
  guarded.bytes_ = request.bytes;
  guarded.offset_in_ = request.offset_in;
  return guarded;
}

BufferView GuardedBuffer::binding() const {
  if (offset_in_ == OffsetIn::value) return {buffer_.get(), 0, guard_bytes + bytes_};
  return {buffer_.get(), guard_bytes, bytes_};
}

Status GuardedBuffer::fill(Queue& queue, std::span<const std::byte> content) {
  const Bytes all = with_guards(content);
  const Status done = queue.upload({buffer_.get(), 0, all.size()}, all);
  return done ? Status() : error_of(done, "upload");
}

Result<GuardedBuffer::Contents> GuardedBuffer::read(Queue& queue) const {
  Bytes all(bytes_ + 2 * guard_bytes);
  if (const Status done = queue.download(all, {buffer_.get(), 0, all.size()}); !done) return error_of(done, "download");
  Contents contents;
  contents.damage = guard_damage(all);
  contents.bytes.assign(all.begin() + guard_bytes, all.end() - guard_bytes);
  return contents;
}

}  // namespace weft::conformance
