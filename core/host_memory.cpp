// Aligned allocation that fails with an error, and copies between host buffers.
#include "core/host_memory.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace weft {
namespace {

class DoneEvent final : public Event {};

Status copy_bytes(std::span<std::byte> target, std::span<const std::byte> source) {
  if (target.size() != source.size()) {
    return fail(ErrorCode::invalid_argument, "copy: target has {} bytes, source {}; both must be equal", target.size(),
                source.size());
  }
  if (!source.empty()) std::memmove(target.data(), source.data(), source.size());
  return {};
}

/// Linux says what could be had without swapping; elsewhere it stays unknown.
std::int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(file, unit);
  }
  return 0;
}

}  // namespace

HostMemory host_memory() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES);
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return {.total_bytes = pages > 0 && page > 0 ? pages * page : 0, .free_bytes = available_bytes()};
}

void HostBuffer::Free::operator()(std::byte* data) const { std::free(data); }

Result<std::unique_ptr<Buffer>> HostBuffer::allocate(std::size_t bytes) {
  const auto total = static_cast<std::size_t>(host_memory().total_bytes);
  if (total > 0 && bytes > total) {
    return fail(ErrorCode::out_of_memory, "host memory: {} bytes wanted, the host has {}", bytes, total);
  }
  const std::size_t rounded = (bytes / host_alignment + 1) * host_alignment;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(host_alignment, rounded));
  if (data == nullptr) return fail(ErrorCode::out_of_memory, "host memory: the system refused {} bytes", bytes);
  return std::unique_ptr<Buffer>(new HostBuffer(data, bytes));
}

Result<std::span<std::byte>> host_bytes(const BufferView& view) {
  if (view.buffer == nullptr) return fail(ErrorCode::invalid_argument, "buffer view without a buffer");
  std::byte* data = view.buffer->host();
  if (data == nullptr) return fail(ErrorCode::invalid_argument, "buffer that the host cannot reach; copy it first");
  const std::size_t size = view.buffer->bytes();
  if (view.offset > size || view.bytes > size - view.offset) {
    return fail(ErrorCode::invalid_argument, "buffer view of {} bytes at {} reaches beyond the buffer's {} bytes",
                view.bytes, view.offset, size);
  }
  return std::span(data + view.offset, view.bytes);
}

Status HostQueue::upload(const BufferView& target, std::span<const std::byte> source) {
  const auto bytes = host_bytes(target);
  return bytes ? copy_bytes(*bytes, source) : error_of(bytes, "upload");
}

Status HostQueue::download(std::span<std::byte> target, const BufferView& source) {
  const auto bytes = host_bytes(source);
  return bytes ? copy_bytes(target, *bytes) : error_of(bytes, "download");
}

Status HostQueue::copy(const BufferView& target, const BufferView& source) {
  const auto to = host_bytes(target);
  if (!to) return error_of(to, "copy, target");
  const auto from = host_bytes(source);
  if (!from) return error_of(from, "copy, source");
  return copy_bytes(*to, *from);
}

Result<std::unique_ptr<Event>> HostQueue::record() { return std::make_unique<DoneEvent>(); }
Status HostQueue::after(const Event& /*event*/) { return {}; }
Status HostQueue::finish() { return {}; }

}  // namespace weft
