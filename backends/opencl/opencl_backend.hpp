// The OpenCL backend: any device of OpenCL 1.2 or later, with better kernels chosen by rules where a device has more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::opencl {

/// Opens the device that `options.device` names (an id such as OpenCL0, or a part of a name; empty = the first GPU,
/// else the first device). Errors: unsupported (no platform, no such device), invalid_file (a rule override is broken).
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options);

struct DeviceListing {
  DeviceInfo device;
  std::string skipped;  ///< why it can't be used; empty when usable
};
/// All devices; a machine without any gives one entry that says why.
[[nodiscard]] std::vector<DeviceListing> list_devices();

}  // namespace weft::opencl
