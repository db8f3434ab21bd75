// The backends linked into this program, by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/plugin.hpp"
#include "core/result.hpp"

namespace weft {

/// Names of the linked backends, in the order in which placement falls back: opencl, cpu, reference.
[[nodiscard]] std::vector<std::string_view> backend_names();

/// Opens a backend. Errors: invalid_argument (unknown name; lists the known ones), unsupported (no such device, with
/// why each one was skipped), invalid_file (a rule override is broken).
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(std::string_view name, const BackendOptions& options);

/// A device that a backend could use, or why it can't.
struct DeviceReport {
  std::string backend;
  DeviceInfo device;
  std::string skipped;  ///< empty when usable
};
[[nodiscard]] std::vector<DeviceReport> list_devices();

/// The linked backends together with those of plug-in libraries.
class BackendCatalogue {
 public:
  /// Errors: those of load_backend_library; invalid_argument (two backends of one name).
  [[nodiscard]] static Result<BackendCatalogue> load(std::span<const std::string> libraries);
  /// Plug-ins in the order given, then backend_names().
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool is_plugin(std::string_view name) const;
  /// As the function make_backend; a plug-in's error names its file, and an exception that leaves it becomes
  /// `internal`.
  [[nodiscard]] Result<std::unique_ptr<Backend>> make(std::string_view name, const BackendOptions& options) const;
  [[nodiscard]] std::vector<DeviceReport> devices() const;

 private:
  [[nodiscard]] const LoadedBackend* find(std::string_view name) const;
  std::vector<LoadedBackend> plugins_;
};

}  // namespace weft
