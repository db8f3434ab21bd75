// How often this test program has allocated.
#pragma once

#include <cstddef>

namespace weft::graph::testing {

/// Calls of operator new since the program started, of all threads.
[[nodiscard]] std::size_t allocation_count();

}  // namespace weft::graph::testing
