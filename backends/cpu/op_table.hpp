// The one list of this backend's kernels: an op is added by its line here and its folder in ops/.
#pragma once

#include <string_view>
#include <vector>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/loops/loops.hpp"

namespace weft::cpu {

[[nodiscard]] std::vector<Kernel> activation_kernels();
[[nodiscard]] std::vector<Kernel> add_kernels();
[[nodiscard]] std::vector<Kernel> add_rms_norm_kernels();
[[nodiscard]] std::vector<Kernel> argmax_kernels();
[[nodiscard]] std::vector<Kernel> attention_kernels();
[[nodiscard]] std::vector<Kernel> cast_kernels();
[[nodiscard]] std::vector<Kernel> concat_kernels();
[[nodiscard]] std::vector<Kernel> copy_kernels();
[[nodiscard]] std::vector<Kernel> embed_kernels();
[[nodiscard]] std::vector<Kernel> glu_kernels();
[[nodiscard]] std::vector<Kernel> kv_append_kernels();
[[nodiscard]] std::vector<Kernel> logits_kernels();
[[nodiscard]] std::vector<Kernel> matmul_add_kernels();
[[nodiscard]] std::vector<Kernel> mul_kernels();
[[nodiscard]] std::vector<Kernel> norm_matmul_kernels();
[[nodiscard]] std::vector<Kernel> norm_matmul_glu_kernels();
[[nodiscard]] std::vector<Kernel> qk_norm_rope_append_kernels();
[[nodiscard]] std::vector<Kernel> quant_matmul_kernels();
[[nodiscard]] std::vector<Kernel> rms_norm_kernels();
[[nodiscard]] std::vector<Kernel> rope_kernels();
[[nodiscard]] std::vector<Kernel> scale_kernels();
[[nodiscard]] std::vector<Kernel> softcap_kernels();

/// Kernels of all ops.
[[nodiscard]] std::vector<Kernel> all_kernels();

/// The same maker on each table of loops: `cpu/<op>/<prefix><isa>` for avx512, avx2 and portable.
using MakeOnLoops = Result<std::unique_ptr<Step>> (*)(StepPlan& plan, const Loops& loops);
[[nodiscard]] std::vector<Kernel> loop_kernels(std::string_view op, MakeOnLoops make, std::string_view prefix = "");

}  // namespace weft::cpu
