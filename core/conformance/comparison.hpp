// Whether an output is right: every element written, NaN and Inf as the reference has them, errors within tolerance.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/conformance/sample_case.hpp"
#include "core/kv_cache.hpp"
#include "core/op.hpp"

namespace weft::conformance {

struct Comparison {
  std::string fault;  ///< empty when right; else the first wrong element, found and wanted, and how many are wrong
  double worst = 0;   ///< largest error / tolerance
};

/// The byte that an output is filled with before a run: NaN for float types, an unlikely number for i32.
[[nodiscard]] std::byte poison_of(DType type);

/// `cache` is needed for states: rows that the reference wrote are decoded and compared within the tolerance, measured
/// against the largest number of their head; all other bytes must be as before.
[[nodiscard]] Comparison compare(const Expected& expected, std::span<const std::byte> got, const Tolerance& tolerance,
                                 const std::optional<CacheSpec>& cache);

}  // namespace weft::conformance
