// Reading device facts and judging them.
#include "backends/opencl/device_facts.hpp"

#include <algorithm>

#include "backends/opencl/cl_error.hpp"

namespace weft::opencl {
namespace {

template <class Query>
Result<std::string> text_of(Query query, std::string_view call) {
  std::size_t size = 0;
  if (Status ok = check(query(0, nullptr, &size), call); !ok) return error_of(ok);
  std::string text(size, '\0');
  if (Status ok = check(query(size, text.data(), nullptr), call); !ok) return error_of(ok);
  const std::size_t end = text.find('\0');
  if (end != std::string::npos) text.resize(end);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Collects answers and keeps the first failure, so that reading stays one line a fact.
class FactReader {
 public:
  FactReader(cl_platform_id platform, cl_device_id device) : platform_(platform), device_(device) {}

  std::string platform_text(cl_platform_info what) {
    return take(text_of([&](auto... a) { return clGetPlatformInfo(platform_, what, a...); }, "clGetPlatformInfo"));
  }
  std::string text(cl_device_info what) {
    return take(text_of([&](auto... a) { return clGetDeviceInfo(device_, what, a...); }, "clGetDeviceInfo"));
  }
  template <class T>
  T number(cl_device_info what) {
    T value{};
    Status ok = check(clGetDeviceInfo(device_, what, sizeof(T), &value, nullptr), "clGetDeviceInfo");
    if (!ok && status_) status_ = ok;
    return value;
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  std::string take(Result<std::string> text) {
    if (text) return std::move(*text);
    if (status_) status_ = error_of(text);
    return {};
  }
  cl_platform_id platform_;
  cl_device_id device_;
  Status status_;
};

DeviceKind kind_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::gpu;
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? DeviceKind::cpu : DeviceKind::other;
}

bool has_extension(const DeviceFacts& facts, std::string_view name) {
  const std::string padded = " " + facts.extensions + " ";
  return padded.find(fmt::format(" {} ", name)) != std::string::npos;
}

}  // namespace

Result<DeviceFacts> read_device_facts(cl_platform_id platform, cl_device_id device) {
  FactReader read(platform, device);
  DeviceFacts facts;
  facts.platform_name = read.platform_text(CL_PLATFORM_NAME);
  facts.platform_version = read.platform_text(CL_PLATFORM_VERSION);
  facts.name = read.text(CL_DEVICE_NAME);
  facts.vendor = read.text(CL_DEVICE_VENDOR);
  facts.driver = read.text(CL_DRIVER_VERSION);
  facts.version = read.text(CL_DEVICE_VERSION);
  facts.extensions = read.text(CL_DEVICE_EXTENSIONS);
  facts.kind = kind_of(read.number<cl_device_type>(CL_DEVICE_TYPE));
  facts.units = read.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  facts.local_bytes = static_cast<std::int64_t>(read.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE));
  facts.max_allocation_bytes = static_cast<std::int64_t>(read.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  facts.total_bytes = static_cast<std::int64_t>(read.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE));
  facts.max_work_group = static_cast<std::int64_t>(read.number<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE));
  facts.base_alignment_bits = read.number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  facts.available = read.number<cl_bool>(CL_DEVICE_AVAILABLE) == CL_TRUE;
  facts.compiler = read.number<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE) == CL_TRUE;
  facts.little_endian = read.number<cl_bool>(CL_DEVICE_ENDIAN_LITTLE) == CL_TRUE;
  if (!read.status()) return error_of(read.status());
  return facts;
}

std::vector<std::string> device_features(const DeviceFacts& facts) {
  std::vector<std::string> features;
  if (facts.kind == DeviceKind::cpu) features.emplace_back("cpu");
  if (facts.kind == DeviceKind::gpu) features.emplace_back("gpu");
  constexpr std::array words{
      std::pair{"cl_khr_fp16", "fp16"},
      std::pair{"cl_khr_fp64", "fp64"},
      std::pair{"cl_khr_subgroups", "subgroups"},
      std::pair{"cl_khr_integer_dot_product", "int8_dot"},
      std::pair{"cl_khr_command_buffer", "command_buffer"},
  };
  for (const auto& [extension, word] : words) {
    if (has_extension(facts, extension)) features.emplace_back(word);
  }
  return features;
}

std::string unusable_because(const DeviceFacts& facts) {
  constexpr std::int64_t least_local_bytes = 16 * 1024;
  constexpr std::int64_t least_work_group = 64;
  if (!facts.available) return "the driver says that it is not available";
  if (!facts.compiler) return "its driver has no OpenCL C compiler";
  if (!facts.little_endian) return "it is big-endian";
  if (facts.version.starts_with("OpenCL 1.0") || facts.version.starts_with("OpenCL 1.1")) {
    return fmt::format("it offers {}, wanted OpenCL 1.2 or later", facts.version);
  }
  if (facts.local_bytes < least_local_bytes) {
    return fmt::format("it has {} bytes of local memory, wanted {}", facts.local_bytes, least_local_bytes);
  }
  if (facts.max_work_group < least_work_group) {
    return fmt::format("its work-groups hold {} items, wanted {}", facts.max_work_group, least_work_group);
  }
  return {};
}

DeviceInfo device_info(const DeviceFacts& facts, std::size_t index) {
  DeviceInfo info;
  info.id = fmt::format("OpenCL{}", index);
  info.description = facts.name;
  info.vendor = facts.vendor;
  info.driver = fmt::format("{} {}", facts.platform_name, facts.driver);
  info.units = facts.units;
  info.local_bytes = facts.local_bytes;
  info.max_allocation_bytes = facts.max_allocation_bytes;
  info.total_bytes = facts.total_bytes;
  info.features = device_features(facts);
  info.memory_domain = fmt::format("opencl{}", index);
  return info;
}

std::int64_t base_alignment_bytes(const DeviceFacts& facts) {
  return std::max<std::int64_t>(1, facts.base_alignment_bits / 8);
}

Status check_allocation(const DeviceInfo& device, std::size_t bytes, std::string_view what) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (device.max_allocation_bytes > 0 && wanted > device.max_allocation_bytes) {
    return fail(ErrorCode::out_of_memory,
                "{} needs one buffer of {} bytes, {} ({}) allows {} bytes a buffer (CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
                what, bytes, device.id, device.description, device.max_allocation_bytes);
  }
  return {};
}

}  // namespace weft::opencl
