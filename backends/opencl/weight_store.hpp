// Constants in device memory: each is uploaded once, however many executables use it, and goes with the last of them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "backends/opencl/device_buffer.hpp"
#include "backends/opencl/weight_layout.hpp"
#include "core/tensor.hpp"

namespace weft::opencl {

/// Thread-safe.
class WeightStore {
 public:
  explicit WeightStore(std::shared_ptr<const DeviceContext> context) : context_(std::move(context)) {}
  /// The tensor in a layout that it can have. Errors: out_of_memory, naming the tensor.
  [[nodiscard]] Result<std::shared_ptr<const DeviceBuffer>> get(const std::shared_ptr<const HostTensor>& tensor,
                                                                WeightLayout layout);
  /// Bytes as they are, not shared.
  [[nodiscard]] Result<std::shared_ptr<const DeviceBuffer>> upload(std::span<const std::byte> bytes,
                                                                   std::string_view what);

 private:
  struct Entry {
    std::weak_ptr<const HostTensor> tensor;  ///< tells a tensor from a later one at the same address
    std::weak_ptr<const DeviceBuffer> buffer;
  };
  Result<std::shared_ptr<const DeviceBuffer>> upload_tensor(const HostTensor& tensor, WeightLayout layout);
  Status write(const DeviceBuffer& buffer, std::size_t offset, std::span<const std::byte> bytes);

  std::shared_ptr<const DeviceContext> context_;
  std::mutex mutex_;
  QueueHandle queue_;
  std::map<std::pair<const HostTensor*, WeightLayout>, Entry> entries_;
};

}  // namespace weft::opencl
