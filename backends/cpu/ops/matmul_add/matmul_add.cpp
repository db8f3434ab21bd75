// Matmul with the residual added.
#include "backends/cpu/matmul/matmul_step.hpp"
#include "backends/cpu/op_table.hpp"

namespace weft::cpu {
namespace {

MatmulSpec spec_of(const StepPlan& /*plan*/) {
  MatmulSpec spec;
  spec.products = {{.weight = 1, .bias = 2}};
  spec.residual = 3;
  return spec;
}

}  // namespace

std::vector<Kernel> matmul_add_kernels() { return matmul_kernels("matmul_add", spec_of); }

}  // namespace weft::cpu
