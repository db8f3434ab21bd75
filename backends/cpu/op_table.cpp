// The list of kernels.
#include "backends/cpu/op_table.hpp"

#include <fmt/core.h>

#include <iterator>

namespace weft::cpu {

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels;
  for (const auto& of_op : {activation_kernels,
                            add_kernels,
                            add_rms_norm_kernels,
                            argmax_kernels,
                            attention_kernels,
                            cast_kernels,
                            concat_kernels,
                            copy_kernels,
                            embed_kernels,
                            glu_kernels,
                            kv_append_kernels,
                            logits_kernels,
                            matmul_add_kernels,
                            mul_kernels,
                            norm_matmul_kernels,
                            norm_matmul_glu_kernels,
                            qk_norm_rope_append_kernels,
                            quant_matmul_kernels,
                            rms_norm_kernels,
                            rope_kernels,
                            scale_kernels,
                            softcap_kernels}) {
    std::vector<Kernel> some = of_op();
    std::move(some.begin(), some.end(), std::back_inserter(kernels));
  }
  return kernels;
}

std::vector<Kernel> loop_kernels(std::string_view op, MakeOnLoops make, std::string_view prefix) {
  std::vector<Kernel> kernels;
  for (const Loops* loops : {&avx512_loops(), &avx2_loops(), &portable_loops()}) {
    kernels.push_back({std::string(op), fmt::format("cpu/{}/{}{}", op, prefix, loops->isa),
                       [make, loops](StepPlan& plan) { return make(plan, *loops); }});
  }
  return kernels;
}

}  // namespace weft::cpu
