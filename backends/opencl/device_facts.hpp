// What a device says of itself, and what follows from it. Reading is apart from judging, so judging is tested alone.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::opencl {

enum class DeviceKind : std::uint8_t { cpu, gpu, other };

/// Raw answers of clGetDeviceInfo and clGetPlatformInfo.
struct DeviceFacts {
  std::string name, vendor, driver, version, platform_name, platform_version, extensions;
  DeviceKind kind = DeviceKind::other;
  std::int64_t units = 1;
  std::int64_t local_bytes = 0;
  std::int64_t max_allocation_bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t max_work_group = 1;
  std::int64_t base_alignment_bits = 0;  ///< CL_DEVICE_MEM_BASE_ADDR_ALIGN counts bits
  bool available = true;
  bool compiler = true;
  bool little_endian = true;
};

[[nodiscard]] Result<DeviceFacts> read_device_facts(cl_platform_id platform, cl_device_id device);

/// Words that rules may test: "cpu" or "gpu", "fp16", "fp64", "subgroups", "int8_dot", "command_buffer".
[[nodiscard]] std::vector<std::string> device_features(const DeviceFacts& facts);

/// Why weft can't use the device; empty when it can.
[[nodiscard]] std::string unusable_because(const DeviceFacts& facts);

/// The facts in weft's own words, for the device numbered `index`.
[[nodiscard]] DeviceInfo device_info(const DeviceFacts& facts, std::size_t index);

/// Bytes to which the start of a sub-range must be aligned; never 0.
[[nodiscard]] std::int64_t base_alignment_bytes(const DeviceFacts& facts);

/// One buffer must not exceed the device's cap, whatever memory is free. `what` names the tensor or cache.
[[nodiscard]] Status check_allocation(const DeviceInfo& device, std::size_t bytes, std::string_view what);

}  // namespace weft::opencl
