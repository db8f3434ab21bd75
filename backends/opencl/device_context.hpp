// One opened device: what buffers, queues, programs and executables share and keep alive.
#pragma once

#include <memory>

#include "backends/opencl/devices.hpp"
#include "backends/opencl/handle.hpp"

namespace weft::opencl {

class DeviceContext {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const DeviceContext>> open(const FoundDevice& device);

  [[nodiscard]] cl_context context() const { return context_.get(); }
  [[nodiscard]] cl_device_id device() const { return device_; }
  [[nodiscard]] const DeviceFacts& facts() const { return facts_; }
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  /// An in-order queue; with `times` its events carry timestamps.
  [[nodiscard]] Result<QueueHandle> make_queue(bool times) const;

 private:
  DeviceContext(ContextHandle context, const FoundDevice& device)
      : context_(std::move(context)), device_(device.device), facts_(device.facts), info_(device.info) {}
  ContextHandle context_;
  cl_device_id device_;
  DeviceFacts facts_;
  DeviceInfo info_;
};

}  // namespace weft::opencl
