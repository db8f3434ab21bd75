// The backends linked into this program, by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
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

}  // namespace weft
