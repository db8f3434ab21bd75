// Allocation of device memory, and the way back from a view to it.
#include "backends/opencl/device_buffer.hpp"

#include <algorithm>
#include <atomic>

#include "backends/opencl/cl_error.hpp"

namespace weft::opencl {
namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> count{1};  // an identity, no state that anything depends on
  return count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::shared_ptr<const DeviceContext> context, MemoryHandle memory, std::size_t bytes)
    : context_(std::move(context)), memory_(std::move(memory)), bytes_(bytes), serial_(next_serial()) {}

Result<std::unique_ptr<DeviceBuffer>> DeviceBuffer::allocate(std::shared_ptr<const DeviceContext> context,
                                                             std::size_t bytes, std::string_view what) {
  if (Status ok = check_allocation(context->info(), bytes, what); !ok) return error_of(ok);
  cl_int code = CL_SUCCESS;
  MemoryHandle memory(
      clCreateBuffer(context->context(), CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1), nullptr, &code));
  if (Status ok = check(code, "clCreateBuffer"); !ok) {
    return error_of(ok, fmt::format("{} of {} bytes on {}", what, bytes, context->info().id));
  }
  return std::unique_ptr<DeviceBuffer>(new DeviceBuffer(std::move(context), std::move(memory), bytes));
}

Result<const DeviceBuffer*> device_buffer(const BufferView& view, cl_context context) {
  const auto* buffer = dynamic_cast<const DeviceBuffer*>(view.buffer);
  if (buffer == nullptr || buffer->context() != context) {
    return fail(ErrorCode::invalid_argument, "the buffer does not belong to this OpenCL device's backend");
  }
  if (view.offset > buffer->bytes() || view.bytes > buffer->bytes() - view.offset) {
    return fail(ErrorCode::invalid_argument, "bytes {} to {} lie beyond the buffer's {}", view.offset,
                view.offset + view.bytes, buffer->bytes());
  }
  return buffer;
}

}  // namespace weft::opencl
