// One conformance case an op: runs the engine on a backend and fails with its report.
#pragma once

#include <string>
#include <string_view>

#include "core/backend.hpp"

namespace weft::conformance {

/// Fails the running test unless every kernel of `op` is right.
void expect_conformance(Backend& backend, std::string_view op);

}  // namespace weft::conformance
