// Dot products of all rows of activations with all rows of weights, in double.
#pragma once

#include <functional>
#include <vector>

#include "core/ops/check.hpp"
#include "core/tensor.hpp"

namespace weft {

enum class Terms : std::uint8_t {
  products,           ///< sum of x * w
  absolute_products,  ///< sum of |x * w|
};

/// Calls `sink(t, n, sum over k)` for every row t of x and n of w. Each weight row is decoded once.
void multiply_rows(const ConstHostView& x, const ConstHostView& w, Terms terms,
                   const std::function<void(std::int64_t, std::int64_t, double)>& sink);

/// Checks w `[N, K]` and bias `[N]` (at `w_index` and after it) against x of width `k`.
void check_weight_and_bias(OperandChecks& check, std::size_t w_index, Dim k);

/// Cost of y[t, n] alone: products, weight and bias bytes, output bytes.
[[nodiscard]] Cost matmul_cost(const TensorDesc& x, const TensorDesc& w, const TensorDesc& bias);

/// The common type of all weights, or "mixed".
[[nodiscard]] std::string_view common_type(std::span<const DType> types);

}  // namespace weft
