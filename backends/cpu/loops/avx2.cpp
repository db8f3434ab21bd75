// Loops for avx2.
#include "backends/cpu/lanes/avx2.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/loops/loops_body.hpp"

namespace weft::cpu {

const Loops& avx2_loops() {
  static constexpr Loops loops = loops_named("avx2");
  return loops;
}

}  // namespace weft::cpu
