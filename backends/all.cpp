// The list of linked backends.
#include "backends/all.hpp"

#include <algorithm>
#include <span>

#include "backends/reference/reference_backend.hpp"
#ifdef WEFT_CPU
#include "backends/cpu/cpu_backend.hpp"
#endif
#ifdef WEFT_OPENCL
#include "backends/opencl/opencl_backend.hpp"
#endif

namespace weft {
namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Backend>> (*make)(const BackendOptions& options);
};

std::span<const Entry> entries() {
  static constexpr Entry list[] = {
#ifdef WEFT_OPENCL
      {"opencl", opencl::make_backend},
#endif
#ifdef WEFT_CPU
      {"cpu", cpu::make_backend},
#endif
      {"reference", reference_backend::make_backend},
  };
  return list;
}

DeviceReport host_report(const Entry& entry) {
  const auto backend = entry.make({});
  if (!backend) return {std::string(entry.name), {}, backend.error().message};
  return {std::string(entry.name), (*backend)->device(), ""};
}

}  // namespace

std::vector<std::string_view> backend_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries()) names.push_back(entry.name);
  return names;
}

Result<std::unique_ptr<Backend>> make_backend(std::string_view name, const BackendOptions& options) {
  const auto known = entries();
  const auto entry = std::ranges::find(known, name, &Entry::name);
  if (entry != known.end()) return entry->make(options);
  std::string list;
  for (const Entry& e : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", e.name);
  return fail(ErrorCode::invalid_argument, "there is no backend \"{}\"; built in are {}", name, list);
}

std::vector<DeviceReport> list_devices() {
  std::vector<DeviceReport> reports;
  for (const Entry& entry : entries()) {
#ifdef WEFT_OPENCL
    if (entry.name == "opencl") {
      for (const opencl::DeviceListing& listing : opencl::list_devices()) {
        reports.push_back({"opencl", listing.device, listing.skipped});
      }
      continue;
    }
#endif
    if (entry.name != "reference") reports.push_back(host_report(entry));
  }
  return reports;
}

}  // namespace weft
