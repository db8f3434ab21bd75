// A plan in the making: what each pass reads and leaves behind.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "graph/arenas.hpp"
#include "graph/placement.hpp"
#include "graph/plan.hpp"
#include "graph/schedule.hpp"
#include "graph/segment_builder.hpp"

namespace weft::graph {

/// A segment with its executable and what enqueue() needs.
struct CompiledSegment {
  std::size_t backend = 0;
  std::vector<std::size_t> states;
  std::unique_ptr<Executable> executable;
};

struct Draft {
  Graph graph;
  const PlanOptions& options;
  std::span<const std::shared_ptr<Backend>> backends;
  // Filled in by the passes, in their order.
  Placement placement;
  std::vector<Storage> storage;
  Schedule schedule;
  std::vector<Arena> arenas;
  std::vector<CompiledSegment> segments;
};

/// One pass. After it, the graph must verify.
struct Pass {
  std::string_view name;
  Status (*run)(Draft&);
};
/// specialise, canonicalise, fuse, place, segment, plan_memory, compile.
[[nodiscard]] std::span<const Pass> passes();

/// Runs all passes; verifies and shows the graph to the observer after each.
[[nodiscard]] Status run_passes(Draft& draft);

}  // namespace weft::graph
