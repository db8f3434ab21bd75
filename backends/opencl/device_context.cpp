// Opening a device.
#include "backends/opencl/device_context.hpp"

#include <array>

#include "backends/opencl/cl_error.hpp"

namespace weft::opencl {

Result<std::shared_ptr<const DeviceContext>> DeviceContext::open(const FoundDevice& device) {
  const std::array<cl_context_properties, 3> properties{CL_CONTEXT_PLATFORM,
                                                        reinterpret_cast<cl_context_properties>(device.platform), 0};
  cl_int code = CL_SUCCESS;
  ContextHandle context(clCreateContext(properties.data(), 1, &device.device, nullptr, nullptr, &code));
  if (Status ok = check(code, "clCreateContext"); !ok) return error_of(ok, device.facts.name);
  return std::shared_ptr<const DeviceContext>(new DeviceContext(std::move(context), device));
}

Result<QueueHandle> DeviceContext::make_queue(bool times) const {
  const cl_command_queue_properties properties = times ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_int code = CL_SUCCESS;
  QueueHandle queue(clCreateCommandQueue(context(), device_, properties, &code));
  if (Status ok = check(code, "clCreateCommandQueue"); !ok) return error_of(ok);
  return queue;
}

}  // namespace weft::opencl
