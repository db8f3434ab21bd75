// The references' dot product.
#pragma once

#include <array>
#include <cstddef>

namespace weft {

/// Sum of a[i] * b[i] in double. The order of summation is fixed: eight partial sums, element i in partial sum i mod 8,
/// so that compilers may keep them side by side.
template <class A, class B>
[[nodiscard]] double dot(const A* a, const B* b, std::size_t count) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  for (std::size_t lane = 0; i < count; ++i, ++lane)
    sums[lane] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace weft
