// Elementwise sum.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_binary_step(plan, loops, loops.add);
}

}  // namespace

std::vector<Kernel> add_kernels() { return loop_kernels("add", make); }

}  // namespace weft::cpu
