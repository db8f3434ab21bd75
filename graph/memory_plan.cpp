// First fit among the ranges that are alive together, largest range first.
#include "graph/memory_plan.hpp"

#include <algorithm>
#include <numeric>

namespace weft::graph {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment; }

bool alive_together(const LiveRange& a, const LiveRange& b) { return a.first <= b.last && b.first <= a.last; }

struct Occupied {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The lowest gap of `bytes` between occupied stretches, which are sorted by their begin and may overlap.
std::size_t lowest_gap(std::span<const Occupied> occupied, std::size_t bytes) {
  std::size_t offset = 0;
  for (const Occupied& o : occupied) {
    if (o.begin >= offset + bytes) break;
    offset = std::max(offset, o.end);
  }
  return offset;
}

}  // namespace

MemoryPlan plan_memory(std::span<const LiveRange> ranges) {
  MemoryPlan plan;
  plan.offsets.resize(ranges.size(), 0);
  std::vector<std::size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return ranges[i].bytes; });
  std::vector<Occupied> occupied;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const LiveRange& range = ranges[order[k]];
    const std::size_t bytes = aligned(range.bytes);
    occupied.clear();
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t other = order[j];
      if (!alive_together(range, ranges[other])) continue;
      occupied.push_back({plan.offsets[other], plan.offsets[other] + aligned(ranges[other].bytes)});
    }
    std::ranges::sort(occupied, {}, &Occupied::begin);
    plan.offsets[order[k]] = lowest_gap(occupied, bytes);
    plan.bytes = std::max(plan.bytes, plan.offsets[order[k]] + bytes);
    plan.unshared_bytes += bytes;
  }
  return plan;
}

}  // namespace weft::graph
