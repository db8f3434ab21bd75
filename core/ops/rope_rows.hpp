// What rope and the fused op with a rope share.
#pragma once

#include "core/ops/check.hpp"
#include "core/rope_spec.hpp"
#include "core/tensor.hpp"

namespace weft {

/// Checks a specification against heads of `width`, and the optional operand `divisors` against it.
void check_rope(OperandChecks& check, const RopeSpec& spec, std::int64_t width, std::size_t divisors);

/// `pairing`, `rotated`, `pair_offset`, `divisors` (0/1), `yarn` (0/1).
void set_rope_facts(Facts& facts, const RopeSpec& spec, const TensorDesc& divisors);

struct RopeOperands {
  ConstHostView x;          ///< [T, heads, d]
  ConstHostView positions;  ///< [T]
  ConstHostView divisors;   ///< [pairs] or absent
};
enum class RopeTerms : std::uint8_t {
  plain,     ///< the rotation
  absolute,  ///< sums of absolute products: |a cos| + |b sin|
};
void rotate_rows(const RopeSpec& spec, const RopeOperands& in, RopeTerms terms, const MutableHostView& out);

}  // namespace weft
