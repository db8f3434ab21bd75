// Finding devices: all platforms, their usable devices, and why others are left out.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>
#include <vector>

#include "backends/opencl/device_facts.hpp"
#include "core/result.hpp"

namespace weft::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceFacts facts;
  DeviceInfo info;
  std::string skipped;  ///< why it can't be used; empty when usable
};

/// Usable devices carry the ids OpenCL0, OpenCL1 … in platform order. A platform without devices is left out.
/// Errors: unsupported where there is no platform at all (with what to install), else what the loader reports.
[[nodiscard]] Result<std::vector<FoundDevice>> find_devices();

/// Index of the device that `wanted` names: an id, or a part of a name or vendor, in any case of letters; the first
/// usable one (a GPU before others) when empty. Errors: unsupported, listing what there is.
[[nodiscard]] Result<std::size_t> pick_device(const std::vector<FoundDevice>& devices, std::string_view wanted);

}  // namespace weft::opencl
