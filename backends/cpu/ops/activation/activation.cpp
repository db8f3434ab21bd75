// An activation function.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_unary_step(plan, loops,
                         [activate = loops.activate, kind = plan.op<Activation>().activation](
                             const float* x, float* y, std::int64_t n) { activate(kind, x, y, n); });
}

}  // namespace

std::vector<Kernel> activation_kernels() { return loop_kernels("activation", make); }

}  // namespace weft::cpu
