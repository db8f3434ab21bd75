// Loops for avx512.
#include "backends/cpu/lanes/avx512.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/loops/loops_body.hpp"

namespace weft::cpu {

const Loops& avx512_loops() {
  static constexpr Loops loops = loops_named("avx512");
  return loops;
}

}  // namespace weft::cpu
