// Enumeration and choice of devices.
#include "backends/opencl/devices.hpp"

#include <algorithm>
#include <cctype>

#include "backends/opencl/cl_error.hpp"

namespace weft::opencl {
namespace {

constexpr cl_int no_platform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR of the ICD loader

tl::unexpected<Error> nothing_installed() {
  return fail(ErrorCode::unsupported,
              "no OpenCL platform found: install your GPU's OpenCL driver, or pocl-opencl-icd to run on the CPU");
}

Result<std::vector<cl_platform_id>> platforms() {
  cl_uint count = 0;
  const cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == no_platform || (code == CL_SUCCESS && count == 0)) return nothing_installed();
  if (Status ok = check(code, "clGetPlatformIDs"); !ok) return error_of(ok);
  std::vector<cl_platform_id> ids(count);
  if (Status ok = check(clGetPlatformIDs(count, ids.data(), nullptr), "clGetPlatformIDs"); !ok) return error_of(ok);
  return ids;
}

/// Empty where the platform has no device or its driver fails: other platforms may still do.
std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> ids(count);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) return {};
  return ids;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool names(const FoundDevice& d, const std::string& wanted) {
  return lower(d.info.id) == wanted || lower(d.facts.name).find(wanted) != std::string::npos ||
         lower(d.facts.vendor).find(wanted) != std::string::npos;
}

std::string listing(const std::vector<FoundDevice>& devices) {
  std::string text;
  for (const FoundDevice& d : devices) {
    if (!text.empty()) text += "; ";
    text += d.skipped.empty() ? fmt::format("{}: {}", d.info.id, d.facts.name)
                              : fmt::format("{} (skipped: {})", d.facts.name, d.skipped);
  }
  return text.empty() ? "no platform has a device" : text;
}

}  // namespace

Result<std::vector<FoundDevice>> find_devices() {
  const auto ids = platforms();
  if (!ids) return error_of(ids);
  std::vector<FoundDevice> found;
  std::size_t usable = 0;
  for (cl_platform_id platform : *ids) {
    for (cl_device_id device : devices_of(platform)) {
      auto facts = read_device_facts(platform, device);
      FoundDevice entry{platform, device, facts.value_or(DeviceFacts{}), {}, {}};
      entry.skipped = facts ? unusable_because(*facts) : facts.error().message;
      entry.info = device_info(entry.facts, usable);
      if (entry.skipped.empty()) {
        ++usable;
      } else {
        entry.info.id.clear();
      }
      found.push_back(std::move(entry));
    }
  }
  return found;
}

Result<std::size_t> pick_device(const std::vector<FoundDevice>& devices, std::string_view wanted) {
  const std::string key = lower(wanted);
  const auto pick = [&](auto&& suits) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].skipped.empty() && suits(devices[i])) return i;
    }
    return std::nullopt;
  };
  if (wanted.empty()) {
    if (auto gpu = pick([](const FoundDevice& d) { return d.facts.kind == DeviceKind::gpu; })) return *gpu;
    if (auto any = pick([](const FoundDevice&) { return true; })) return *any;
    return fail(ErrorCode::unsupported, "no usable OpenCL device: {}", listing(devices));
  }
  if (auto exact = pick([&](const FoundDevice& d) { return lower(d.info.id) == key; })) return *exact;
  if (auto part = pick([&](const FoundDevice& d) { return names(d, key); })) return *part;
  return fail(ErrorCode::unsupported, "no usable OpenCL device matches '{}': {}", wanted, listing(devices));
}

}  // namespace weft::opencl
