// How many C++ allocations this test program has made.
#pragma once

#include <cstddef>

namespace weft::opencl::testing {

[[nodiscard]] std::size_t allocation_count();

}  // namespace weft::opencl::testing
