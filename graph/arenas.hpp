// Which bytes of which arena each value has, in each memory domain that it is in.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "graph/memory_plan.hpp"
#include "graph/schedule.hpp"

namespace weft::graph {

inline constexpr std::size_t not_in_arena = std::numeric_limits<std::size_t>::max();

struct Arena {
  std::vector<std::size_t> offsets;  ///< of each base value; not_in_arena for those that aren't in this domain
  std::size_t bytes = 0;
  std::size_t unshared_bytes = 0;
};

/// One arena a domain. Inputs live from the start, outputs to the end, copies from the start of the segment that they
/// are made for.
[[nodiscard]] std::vector<Arena> plan_arenas(const Graph& graph, const std::vector<Storage>& storage,
                                             const Schedule& schedule);

}  // namespace weft::graph
