// Sharing of one arena by values that aren't alive at the same time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft::graph {

inline constexpr std::size_t arena_alignment = 256;

/// Bytes that are needed from step `first` to step `last`, both included: what a step reads and what it writes are
/// alive together.
struct LiveRange {
  std::size_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< one a range, multiples of arena_alignment
  std::size_t bytes = 0;             ///< of the arena
  std::size_t unshared_bytes = 0;    ///< what it would take with no sharing
};

/// Greedy by size: the largest range first, each at the lowest offset that is free for its whole life.
[[nodiscard]] MemoryPlan plan_memory(std::span<const LiveRange> ranges);

}  // namespace weft::graph
