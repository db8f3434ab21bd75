// The CPU backend: oneTBB workers that walk whole segments, with kernels for each instruction set.
#pragma once

#include <memory>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft::cpu {

/// Uses `options.threads`, `options.isa` and `options.rules`. Errors: unsupported (an isa that the machine lacks),
/// invalid_argument (an unknown isa, a negative thread count), invalid_file (a rule override is broken).
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options);

}  // namespace weft::cpu
