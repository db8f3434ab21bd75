// The list of linked backends.
#include "backends/all.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
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

Result<BackendCatalogue> BackendCatalogue::load(std::span<const std::string> libraries) {
  BackendCatalogue catalogue;
  for (const std::string& file : libraries) {
    auto loaded = load_backend_library(file);
    if (!loaded) return error_of(loaded, "--backend-library");
    const auto known = catalogue.names();
    if (std::ranges::find(known, loaded->name) != known.end()) {
      return fail(ErrorCode::invalid_argument,
                  "--backend-library: {}: there is a backend \"{}\" already; give it another name", file, loaded->name);
    }
    catalogue.plugins_.push_back(std::move(*loaded));
  }
  return catalogue;
}

std::vector<std::string> BackendCatalogue::names() const {
  std::vector<std::string> all;
  for (const LoadedBackend& plugin : plugins_) all.push_back(plugin.name);
  for (const std::string_view name : backend_names()) all.emplace_back(name);
  return all;
}

const LoadedBackend* BackendCatalogue::find(std::string_view name) const {
  const auto found = std::ranges::find(plugins_, name, &LoadedBackend::name);
  return found == plugins_.end() ? nullptr : &*found;
}

bool BackendCatalogue::is_plugin(std::string_view name) const { return find(name) != nullptr; }

Result<std::unique_ptr<Backend>> BackendCatalogue::make(std::string_view name, const BackendOptions& options) const {
  const LoadedBackend* plugin = find(name);
  if (plugin == nullptr) return make_backend(name, options);
  try {
    auto backend = plugin->create(options);
    if (!backend) return error_of(backend, plugin->file);
    if (*backend == nullptr)
      return fail(ErrorCode::internal, "{}: the factory of \"{}\" made nothing", plugin->file, name);
    return backend;
  } catch (const std::exception& error) {
    return fail(ErrorCode::internal, "{}: the factory of \"{}\" threw: {}", plugin->file, name, error.what());
  }
}

std::vector<DeviceReport> BackendCatalogue::devices() const {
  std::vector<DeviceReport> reports;
  for (const LoadedBackend& plugin : plugins_) {
    const auto backend = make(plugin.name, {});
    reports.push_back(backend ? DeviceReport{plugin.name, (*backend)->device(), ""}
                              : DeviceReport{plugin.name, {}, backend.error().message});
  }
  std::ranges::move(list_devices(), std::back_inserter(reports));
  return reports;
}

}  // namespace weft
