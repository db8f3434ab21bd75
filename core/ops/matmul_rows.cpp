// The reference's matrix product.
#include "core/ops/matmul_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/ops/dot.hpp"
#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"

namespace weft {
void multiply_rows(const ConstHostView& x, const ConstHostView& w, Terms terms,
                   const std::function<void(std::int64_t, std::int64_t, double)>& sink) {
  const auto k = static_cast<std::size_t>(x.width());
  std::vector<double> activations = read_all_double(x);
  std::vector<float> decoded(k);
  std::vector<double> weights(k);
  const bool absolute = terms == Terms::absolute_products;
  if (absolute) {
    for (double& a : activations) a = std::abs(a);
  }
  for (std::int64_t n = 0; n < w.rows(); ++n) {
    load_row(w, n, decoded);
    std::transform(decoded.begin(), decoded.end(), weights.begin(),
                   [absolute](float v) { return static_cast<double>(absolute ? std::abs(v) : v); });
    for (std::int64_t t = 0; t < x.rows(); ++t) {
      sink(t, n, dot(activations.data() + static_cast<std::size_t>(t) * k, weights.data(), k));
    }
  }
}

void check_weight_and_bias(OperandChecks& check, std::size_t w_index, Dim k) {
  check.matrix(w_index, k).vector(w_index + 1, check.dim(w_index, 0));
}

Cost matmul_cost(const TensorDesc& x, const TensorDesc& w, const TensorDesc& bias) {
  const auto outputs = static_cast<double>(x.rows() * w.rows());
  const std::array weights{w, bias};
  return {.flops = 2 * outputs * static_cast<double>(x.width()),
          .bytes_read = elementwise::bytes_of(weights),
          .bytes_written = outputs * static_cast<double>(info(x.dtype).block_bytes)};
}

std::string_view common_type(std::span<const DType> types) {
  const bool same = std::all_of(types.begin(), types.end(), [&](DType t) { return t == types.front(); });
  return same ? name_of(types.front()) : "mixed";
}

}  // namespace weft
