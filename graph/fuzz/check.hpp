// One random graph on given backends: fused, unfused and split.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/backend.hpp"
#include "core/result.hpp"
#include "graph/ir.hpp"

namespace weft::graph::fuzz {

/// A graph that backends compute wrongly, as small as shrinking makes it.
struct GraphFault {
  std::string way;      ///< "fused", "unfused" or "split"
  std::string message;  ///< of the whole graph
  Graph shrunk;
};

/// Runs random_graph(seed) with the first of `backends` preferred, fused and unfused, and with each kind of op sent to
/// the first or to "reference" at random (split). Errors: those of random_graph.
[[nodiscard]] Result<std::optional<GraphFault>> check_random_graph(std::uint64_t seed,
                                                                   std::span<const std::shared_ptr<Backend>> backends);

}  // namespace weft::graph::fuzz
