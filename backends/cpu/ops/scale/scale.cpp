// Multiplication by a constant.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_unary_step(
      plan, loops, [scale = loops.scale, factor = plan.op<Scale>().factor](const float* x, float* y, std::int64_t n) {
        scale(factor, x, y, n);
      });
}

}  // namespace

std::vector<Kernel> scale_kernels() { return loop_kernels("scale", make); }

}  // namespace weft::cpu
