// One step for every op that multiplies by weights: a prologue, the product, and an epilogue on its results.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/loops/loops.hpp"
#include "backends/cpu/matmul/matmul_core.hpp"

namespace weft::cpu {

/// What is computed, as indices of the step's operands: x, or its norm, times each weight.
struct MatmulSpec {
  struct Norm {
    std::size_t weight = 0;
    float eps = 0;
    float offset = 0;
  };
  struct Product {
    std::size_t weight = 0;
    std::optional<std::size_t> bias;
  };
  std::size_t x = 0;
  std::optional<Norm> norm;
  std::vector<Product> products;        ///< output i is product i, except:
  std::optional<ActivationKind> gate;   ///< the one output is act(product 0) * product 1
  std::optional<std::size_t> residual;  ///< added to the one output
  float scale = 1.0F;                   ///< of the one output
  float softcap = 0.0F;                 ///< 0 = none
  bool argmax = false;                  ///< the one output is the index of the largest element
};

/// How a matmul kernel multiplies.
struct MatmulVariant {
  const MatmulCore* core = nullptr;
  const Loops* loops = nullptr;
  ActivationPrecision activations = ActivationPrecision::full;  ///< what quantised weights are multiplied by
};

[[nodiscard]] Result<std::unique_ptr<Step>> make_matmul_step(StepPlan& plan, const MatmulSpec& spec,
                                                             const MatmulVariant& variant);

/// The kernels `cpu/<op>/<variant>` of an op, one for each way to multiply.
using SpecOf = MatmulSpec (*)(const StepPlan& plan);
[[nodiscard]] std::vector<Kernel> matmul_kernels(std::string_view op, SpecOf spec_of);

}  // namespace weft::cpu
