// Matmul loops for avx512_vnni.
#include "backends/cpu/lanes/avx512.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/matmul/core_body.hpp"

namespace weft::cpu {

const MatmulCore& avx512_vnni_core() {
  static constexpr MatmulCore core = core_named("avx512_vnni");
  return core;
}

}  // namespace weft::cpu
