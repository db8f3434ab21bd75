// Norm, gate and up matmuls, and the gate.
#include "backends/cpu/matmul/matmul_step.hpp"
#include "backends/cpu/op_table.hpp"

namespace weft::cpu {
namespace {

MatmulSpec spec_of(const StepPlan& plan) {
  const auto& op = plan.op<NormMatmulGlu>();
  MatmulSpec spec;
  spec.norm = {.weight = 1, .eps = op.eps, .offset = op.weight_offset};
  spec.products = {{.weight = 2, .bias = 3}, {.weight = 4, .bias = 5}};
  spec.gate = op.activation;
  return spec;
}

}  // namespace

std::vector<Kernel> norm_matmul_glu_kernels() { return matmul_kernels("norm_matmul_glu", spec_of); }

}  // namespace weft::cpu
