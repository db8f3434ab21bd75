// Device memory as a weft Buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "backends/opencl/device_context.hpp"
#include "core/backend.hpp"

namespace weft::opencl {

class DeviceBuffer final : public Buffer {
 public:
  /// `what` names the contents in errors. Errors: out_of_memory (above the device's cap for one buffer, or refused).
  /// An empty buffer gets one byte, for OpenCL has none of size 0.
  [[nodiscard]] static Result<std::unique_ptr<DeviceBuffer>> allocate(std::shared_ptr<const DeviceContext> context,
                                                                      std::size_t bytes, std::string_view what);
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] cl_mem memory() const { return memory_.get(); }
  [[nodiscard]] cl_context context() const { return context_->context(); }
  /// Differs between any two buffers of the process, unlike addresses, which are used again.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }

 private:
  DeviceBuffer(std::shared_ptr<const DeviceContext> context, MemoryHandle memory, std::size_t bytes);
  std::shared_ptr<const DeviceContext> context_;
  MemoryHandle memory_;
  std::size_t bytes_;
  std::uint64_t serial_;
};

/// The DeviceBuffer behind a view. Errors: invalid_argument (no buffer, another backend's or context's, a range beyond
/// its end).
[[nodiscard]] Result<const DeviceBuffer*> device_buffer(const BufferView& view, cl_context context);

}  // namespace weft::opencl
