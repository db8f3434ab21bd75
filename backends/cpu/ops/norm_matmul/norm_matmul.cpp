// Norm, then one or several matmuls of its result.
#include "backends/cpu/matmul/matmul_step.hpp"
#include "backends/cpu/op_table.hpp"

namespace weft::cpu {
namespace {

MatmulSpec spec_of(const StepPlan& plan) {
  const auto& op = plan.op<NormMatmul>();
  MatmulSpec spec;
  spec.norm = {.weight = 1, .eps = op.eps, .offset = op.weight_offset};
  for (std::size_t i = 2; i + 1 < plan.inputs.size(); i += 2) spec.products.push_back({.weight = i, .bias = i + 1});
  return spec;
}

}  // namespace

std::vector<Kernel> norm_matmul_kernels() { return matmul_kernels("norm_matmul", spec_of); }

}  // namespace weft::cpu
