// Host memory as a backend's buffers, and a queue that works on it at once. For every backend whose device is the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft {

inline constexpr std::size_t host_alignment = 64;

/// What the host has, in bytes; 0 = unknown.
struct HostMemory {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;
};
[[nodiscard]] HostMemory host_memory();

/// Uninitialised bytes at a multiple of host_alignment, writable up to a multiple of it.
class HostBuffer final : public Buffer {
 public:
  /// Errors: out_of_memory when more is asked for than the host has, or the system refuses.
  [[nodiscard]] static Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes);
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] std::byte* host() override { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  HostBuffer(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

/// The bytes of a view. Errors: invalid_argument (no buffer, one that the host can't reach, or a range beyond its end).
[[nodiscard]] Result<std::span<std::byte>> host_bytes(const BufferView& view);

/// Copies happen inside the call, so events are always complete and finish() has nothing to wait for. Works on any
/// buffer that the host can reach. A backend that runs steps at once may derive from it.
class HostQueue : public Queue {
 public:
  [[nodiscard]] Status upload(const BufferView& target, std::span<const std::byte> source) override;
  [[nodiscard]] Status download(std::span<std::byte> target, const BufferView& source) override;
  [[nodiscard]] Status copy(const BufferView& target, const BufferView& source) override;
  [[nodiscard]] Result<std::unique_ptr<Event>> record() override;
  [[nodiscard]] Status after(const Event& event) override;
  [[nodiscard]] Status finish() override;
};

}  // namespace weft
