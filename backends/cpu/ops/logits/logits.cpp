// Final norm, head, scale and soft-cap, and the index of the largest.
#include "backends/cpu/matmul/matmul_step.hpp"
#include "backends/cpu/op_table.hpp"

namespace weft::cpu {
namespace {

MatmulSpec spec_of(const StepPlan& plan) {
  const auto& op = plan.op<Logits>();
  MatmulSpec spec;
  spec.norm = {.weight = 1, .eps = op.eps, .offset = op.weight_offset};
  spec.products = {{.weight = 2, .bias = std::nullopt}};
  spec.scale = op.scale;
  spec.softcap = op.softcap;
  spec.argmax = op.result == Logits::Yields::argmax;
  return spec;
}

}  // namespace

std::vector<Kernel> logits_kernels() { return matmul_kernels("logits", spec_of); }

}  // namespace weft::cpu
