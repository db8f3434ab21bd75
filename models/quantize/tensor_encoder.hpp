// One tensor from the type of its file to another: pieces of rows, several threads, and what the rounding cost.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/dtype.hpp"
#include "core/result.hpp"

namespace weft::models {

struct RoundingError {
  double squared = 0;         ///< sum (y - x)^2
  double squared_values = 0;  ///< sum x^2
  double largest = 0;         ///< max |y - x|

  [[nodiscard]] double relative() const;
};

struct TensorRecoding {
  DType from = DType::none;
  DType to = DType::none;
  std::int64_t row = 0;  ///< elements of a row, whole blocks of both types
  int threads = 1;
};

/// Takes encoded bytes, and how many bytes of `data` they were made from.
using TakeEncoded = std::function<Status(std::span<const std::byte> encoded, std::uint64_t source_bytes)>;

/// Decodes rows of `data`, encodes them, and hands the result over in order. Sums are made in an order that the number
/// of threads doesn't change. Errors: non_finite (names the element, from the tensor's first), what `take` returned.
[[nodiscard]] Result<RoundingError> recode(const TensorRecoding& recoding, std::span<const std::byte> data,
                                           const TakeEncoded& take);

}  // namespace weft::models
