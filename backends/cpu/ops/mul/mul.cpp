// Elementwise product.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_binary_step(plan, loops, loops.mul);
}

}  // namespace

std::vector<Kernel> mul_kernels() { return loop_kernels("mul", make); }

}  // namespace weft::cpu
