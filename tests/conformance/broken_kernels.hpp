// Kernels that are wrong in one way each, as kernels of people have been.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/conformance/mutant_backend.hpp"

namespace weft::conformance {

/// A wrong kernel, and which case must find it by which fault.
struct BrokenKernel {
  std::string name;
  Mutant mutant;
  std::string sample;  ///< part of the name of the sample that finds it
  std::string fault;   ///< part of what is said
};

/// For the test framework, which would print bytes.
inline void PrintTo(const BrokenKernel& broken, std::ostream* out) { *out << broken.name; }

/// Of matmuls: scales, tails, sums, saturation.
[[nodiscard]] std::vector<BrokenKernel> broken_matmuls();
/// Of attention, rope, norms and other ops with attributes: each forgets one.
[[nodiscard]] std::vector<BrokenKernel> kernels_that_forget();
/// Of memory: what is written, read, kept or left out.
[[nodiscard]] std::vector<BrokenKernel> kernels_that_misuse_memory();

/// Kernels of these tests that are right, and differ from the broken ones in nothing else.
[[nodiscard]] std::vector<Mutant> right_kernels();

}  // namespace weft::conformance
