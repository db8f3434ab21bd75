// Loops for portable.
#include "backends/cpu/lanes/portable.hpp"
//
#include "backends/cpu/lanes/functions.hpp"
//
#include "backends/cpu/loops/loops_body.hpp"

namespace weft::cpu {

const Loops& portable_loops() {
  static constexpr Loops loops = loops_named("portable");
  return loops;
}

}  // namespace weft::cpu
