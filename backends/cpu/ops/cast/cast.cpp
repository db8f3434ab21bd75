// Change of type: rows are widened to f32 and rounded to the output's type.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_unary_step(plan, loops, loops.copy);
}

}  // namespace

std::vector<Kernel> cast_kernels() { return loop_kernels("cast", make); }

}  // namespace weft::cpu
