// Gated linear unit.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/ops/elementwise.hpp"

namespace weft::cpu {
namespace {

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return make_binary_step(
      plan, loops,
      [glu = loops.glu, kind = plan.op<Glu>().activation](const float* gate, const float* up, float* y,
                                                          std::int64_t n) { glu(kind, gate, up, y, n); });
}

}  // namespace

std::vector<Kernel> glu_kernels() { return loop_kernels("glu", make); }

}  // namespace weft::cpu
