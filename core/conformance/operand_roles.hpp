// What an op's declared port shapes say of its operands: which dimension changes from step to step, and which operands
// are weights.
#pragma once

#include "core/op.hpp"

namespace weft::conformance {

/// The symbol of a port's leading dimension, in the notation of port shapes: T, S, R, kv_rows, and "…" or "any" for
/// tensors of activations. Symbol::none for weights.
[[nodiscard]] Symbol leading_symbol(const Port& port);

/// True for operands that no step changes: models bind constants to them.
[[nodiscard]] inline bool is_weight(const Port& port) { return leading_symbol(port) == Symbol::none; }

/// The port of operand `index`; a repeated port stands for all that follow.
[[nodiscard]] const Port& port_of(std::span<const Port> ports, std::size_t index);

}  // namespace weft::conformance
