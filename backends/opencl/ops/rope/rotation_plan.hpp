// The rotation's table and arguments, as parts of op plans.
#pragma once

#include "backends/opencl/ops/plans.hpp"
#include "core/rope_spec.hpp"

namespace weft::opencl {

/// Fractions of a turn per position of each pair, in units of 2^-64: position * turns wraps exactly at whole turns.
[[nodiscard]] std::vector<std::uint64_t> rope_turns(const RopeSpec& spec, std::span<const float> divisors);

/// The table as a constant of the step. Errors: unsupported where divisors are no constant.
[[nodiscard]] Result<Place> plan_turns(StepPlan& plan, const RopeSpec& spec, const Operand& divisors);
/// Adds INTERLEAVED and, last, the arguments pairs, pair_offset, magnitude.
void add_rotation(Launch& launch, const RopeSpec& spec);

}  // namespace weft::opencl
