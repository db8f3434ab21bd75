// The matmul with weights.
#include "backends/cpu/matmul/matmul_step.hpp"
#include "backends/cpu/op_table.hpp"

namespace weft::cpu {
namespace {

MatmulSpec spec_of(const StepPlan& /*plan*/) {
  MatmulSpec spec;
  spec.products = {{.weight = 1, .bias = 2}};
  return spec;
}

}  // namespace

std::vector<Kernel> quant_matmul_kernels() { return matmul_kernels("quant_matmul", spec_of); }

}  // namespace weft::cpu
