// Operands that matmuls with weights should meet, shared by the plain and the fused ops.
#pragma once

#include <string>
#include <vector>

#include "core/op.hpp"

namespace weft {

struct MatmulCase {
  std::string name;
  SampleInput x, w, bias;
};
/// All cases: every weight type, tile borders, real models' sizes, views, outliers, and the values at which known
/// kernels have failed (block sums beyond f16, saturating 16-bit products).
[[nodiscard]] std::vector<MatmulCase> matmul_cases();
/// A few cases for every weight type: for the fused ops, whose other samples vary what they add.
[[nodiscard]] std::vector<MatmulCase> short_matmul_cases();
/// The smallest row of a weight type: one block, or 32 elements.
[[nodiscard]] std::int64_t smallest_k(DType weight);

}  // namespace weft
