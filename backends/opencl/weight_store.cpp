// Upload of constants.
#include "backends/opencl/weight_store.hpp"

#include "backends/opencl/cl_error.hpp"

namespace weft::opencl {

Status WeightStore::write(const DeviceBuffer& buffer, std::size_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  if (!queue_) {
    auto queue = context_->make_queue(false);
    if (!queue) return error_of(queue);
    queue_ = std::move(*queue);
  }
  return check(clEnqueueWriteBuffer(queue_.get(), buffer.memory(), CL_TRUE, offset, bytes.size(), bytes.data(), 0,
                                    nullptr, nullptr),
               "clEnqueueWriteBuffer");
}

Result<std::shared_ptr<const DeviceBuffer>> WeightStore::upload_tensor(const HostTensor& tensor, WeightLayout layout) {
  const DType type = tensor.desc.dtype;
  const bool planes = layout == WeightLayout::planes;
  const std::size_t bytes = planes ? planes_bytes(type, stored_blocks(tensor)) : tensor.data.size();
  auto buffer = DeviceBuffer::allocate(context_, bytes, tensor.name.empty() ? "a constant" : tensor.name);
  if (!buffer) return error_of(buffer);
  const auto put = [&](std::size_t offset, std::span<const std::byte> piece) { return write(**buffer, offset, piece); };
  const Status ok = planes ? write_planes(type, tensor.data, put) : put(0, tensor.data);
  if (!ok) return error_of(ok, tensor.name);
  return std::shared_ptr<const DeviceBuffer>(std::move(*buffer));
}

Result<std::shared_ptr<const DeviceBuffer>> WeightStore::get(const std::shared_ptr<const HostTensor>& tensor,
                                                             WeightLayout layout) {
  const std::scoped_lock lock(mutex_);
  Entry& entry = entries_[{tensor.get(), layout}];
  if (entry.tensor.lock() == tensor) {
    if (auto buffer = entry.buffer.lock()) return buffer;
  }
  auto buffer = upload_tensor(*tensor, layout);
  if (!buffer) return error_of(buffer);
  entry = {tensor, *buffer};
  std::erase_if(entries_, [](const auto& item) { return item.second.buffer.expired(); });
  return buffer;
}

Result<std::shared_ptr<const DeviceBuffer>> WeightStore::upload(std::span<const std::byte> bytes,
                                                                std::string_view what) {
  const std::scoped_lock lock(mutex_);
  auto buffer = DeviceBuffer::allocate(context_, bytes.size(), what);
  if (!buffer) return error_of(buffer);
  if (Status ok = write(**buffer, 0, bytes); !ok) return error_of(ok, what);
  return std::shared_ptr<const DeviceBuffer>(std::move(*buffer));
}

}  // namespace weft::opencl
