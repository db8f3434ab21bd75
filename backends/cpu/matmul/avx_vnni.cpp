// Matmul loops for avx_vnni.
#include "backends/cpu/lanes/avx2.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/matmul/core_body.hpp"

namespace weft::cpu {

const MatmulCore& avx_vnni_core() {
  static constexpr MatmulCore core = core_named("avx_vnni");
  return core;
}

}  // namespace weft::cpu
