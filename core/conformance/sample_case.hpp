// A sample with its data: what goes in, and what the reference says must come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/ops.hpp"
#include "core/sample_data.hpp"

namespace weft::conformance {

using Bytes = std::vector<std::byte>;

/// One output of the reference.
struct Expected {
  OwnedTensor want;
  std::vector<float> magnitudes;  ///< of each element in order, for float types
  Bytes before;                   ///< of an output that updates an input: what was there
};

/// Shapes are numbers here; a CallForm has the symbols.
struct SampleCase {
  std::string name;
  Op op;
  std::vector<OwnedTensor> inputs;
  std::vector<Expected> expected;
};

/// Fills the inputs, the same for the same seed, and runs the reference.
/// Errors: those of the op's infer, if it refuses the sample.
[[nodiscard]] Result<SampleCase> prepare(const AnySample& sample, std::uint64_t seed);

/// The same with one NaN in the first row of the first operand of activations: it must come out where the reference
/// has it and nowhere else. Nothing for ops and samples without such an operand, for states of block formats, which
/// have no NaN, and for large operands, which would only repeat what small ones show.
[[nodiscard]] std::optional<Result<SampleCase>> prepare_with_nan(const AnySample& sample, std::uint64_t seed);

/// How much larger than the step the plan is.
enum class Room : std::uint8_t {
  none,  ///< every symbol's maximum is its value
  some,  ///< maxima are above the values, as in a plan that serves steps of all sizes
};
[[nodiscard]] std::string_view name_of(Room room);

/// The call as a plan has it: step-dependent dimensions are symbols.
struct CallForm {
  OpCall call;
  SymbolValues symbols;
};
[[nodiscard]] Result<CallForm> form_of(const SampleCase& sample, Room room);

}  // namespace weft::conformance
