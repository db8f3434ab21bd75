// What the view ops share when they are run as copies.
#pragma once

#include "core/op.hpp"

namespace weft::view_ops {

/// The only operand, or why not.
[[nodiscard]] Result<TensorDesc> only_input(std::string_view op, std::span<const Port> ports, TensorSpan in);
/// Copies what the view shows.
void copy_view(const Result<View>& view, ConstHostViews in, MutableHostViews out);
[[nodiscard]] Cost cost(const Result<View>& view);
[[nodiscard]] Facts facts(TensorSpan in);

}  // namespace weft::view_ops
