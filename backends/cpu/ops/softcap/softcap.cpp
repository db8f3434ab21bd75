// Soft limit of magnitudes.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_unary_step(
      plan, loops, [softcap = loops.softcap, cap = plan.op<Softcap>().cap](const float* x, float* y, std::int64_t n) {
        softcap(cap, x, y, n);
      });
}

}  // namespace

std::vector<Kernel> softcap_kernels() { return loop_kernels("softcap", make); }

}  // namespace weft::cpu
