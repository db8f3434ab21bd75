// Random graphs that look like models: what whole-graph conformance runs.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "graph/ir.hpp"

namespace weft::graph::fuzz {

/// Tokens of a step, and the rows of each cache.
inline constexpr std::int64_t step_tokens = 5;
/// Rows of the embedding table: "ids" must lie below it.
inline constexpr std::int64_t vocabulary = 37;

/// A valid graph of about 5 to 40 nodes: blocks of attention, feed-forward, element-wise ops and views in random order
/// with random weights (f32, f16, q8_0, q4_0), often closed by an output head. The same seed gives the same graph. Few
/// shapes are used, so that backends which compile programs reuse them.
[[nodiscard]] Result<Graph> random_graph(std::uint64_t seed);

}  // namespace weft::graph::fuzz
