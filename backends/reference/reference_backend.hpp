// The backend that runs every op's own reference: the oracle of conformance and the floor of placement.
#pragma once

#include <memory>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::reference_backend {

/// Facts about the host as this backend's device.
[[nodiscard]] DeviceInfo device_info();

/// Runs any op on one thread; kernels are named `reference/<op>/plain`. It has no rule tables, so a rule override is
/// an error (invalid_file).
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options);

}  // namespace weft::reference_backend
