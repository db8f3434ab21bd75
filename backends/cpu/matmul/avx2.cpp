// Matmul loops for avx2.
#include "backends/cpu/lanes/avx2.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/matmul/core_body.hpp"

namespace weft::cpu {

const MatmulCore& avx2_core() {
  static constexpr MatmulCore core = core_named("avx2");
  return core;
}

}  // namespace weft::cpu
