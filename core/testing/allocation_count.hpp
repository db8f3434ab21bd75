// For tests that promise to allocate nothing: how often operator new was called in this process.
// Link the target `allocation_count` to use it.
#pragma once

#include <cstddef>

namespace weft::testing {

[[nodiscard]] std::size_t allocation_count();

}  // namespace weft::testing
