// For tests: how often operator new was called in this process.
#pragma once

#include <cstddef>

namespace weft::cpu {

[[nodiscard]] std::size_t allocation_count();

}  // namespace weft::cpu
