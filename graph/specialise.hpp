// Fixing the maxima of symbolic dimensions for one plan.
#pragma once

#include "core/result.hpp"
#include "graph/ir.hpp"
#include "graph/plan.hpp"

namespace weft::graph {

/// The largest value of a symbol that a plan with these limits serves; 0 for `none`.
[[nodiscard]] std::int64_t limit_of(const PlanLimits& limits, Symbol symbol);

/// Sets every symbolic dimension's maximum, in inputs, states and attributes, and infers all shapes anew.
/// Errors: invalid_argument for a limit below 1.
[[nodiscard]] Result<Graph> specialise(Graph graph, const PlanLimits& limits);

}  // namespace weft::graph
