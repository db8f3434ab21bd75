// What the fused ops that start with a norm share.
#include "core/ops/fused_norm.hpp"

#include <algorithm>
#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/matmul_rows.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Scratch normed(const RmsNorm& norm, const ConstHostView& x, const ConstHostView& weight) {
  Scratch h(x.desc.shape);
  norm.reference(std::array{x, weight}, std::array{h.view()});
  return h;
}

Cost norm_cost(const TensorDesc& x, const TensorDesc& weight) {
  const std::array operands{x, weight};
  return {.flops = 4 * static_cast<double>(x.shape.elements()),
          .bytes_read = elementwise::bytes_of(operands),
          .bytes_written = 0};
}

void add_cost(Cost& total, const Cost& part) {
  total.flops += part.flops;
  total.bytes_read += part.bytes_read;
  total.bytes_written += part.bytes_written;
}

void set_weight_facts(Facts& facts, std::span<const DType> types) {
  facts.set("weight", common_type(types));
  std::vector<std::string> set;
  for (const DType type : types) {
    const std::string word(name_of(type));
    if (std::find(set.begin(), set.end(), word) == set.end()) set.push_back(word);
  }
  facts.set("weight_set", std::move(set));
}

Tolerance normed_dot_tolerance(const TensorDesc& x, DType out, ActivationPrecision precision) {
  Tolerance t = dot_tolerance(
      {.k = x.width(), .activation = x.dtype, .out = out, .precision = precision, .rounds_activation = true});
  t.relative += (8 + 2 * std::sqrt(static_cast<double>(x.width()))) * roundoff_f32;
  return t;
}

}  // namespace weft
