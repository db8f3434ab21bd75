// Matmul loops for portable.
#include "backends/cpu/lanes/portable.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/matmul/core_body.hpp"

namespace weft::cpu {

const MatmulCore& portable_core() {
  static constexpr MatmulCore core = core_named("portable");
  return core;
}

}  // namespace weft::cpu
