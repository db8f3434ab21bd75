// From a planned segment to what a backend compiles: operands with their places.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "graph/arenas.hpp"
#include "graph/schedule.hpp"

namespace weft::graph {

/// A segment and what its bindings are: binding 0 is the domain's arena, binding i + 1 is state `states[i]`.
struct BoundSegment {
  Segment segment;
  std::vector<std::size_t> states;  ///< positions in Graph::states
};

/// Builds the segments of one plan. Keeps references to all that it is given.
class SegmentBuilder {
 public:
  struct Source {
    const Graph& graph;
    const std::vector<Storage>& storage;
    const Placement& placement;
    const Schedule& schedule;
    const std::vector<Arena>& arenas;
  };
  explicit SegmentBuilder(const Source& source, const PlanOptions& options) : source_(source), options_(options) {}
  [[nodiscard]] BoundSegment build(const PlannedSegment& planned);

 private:
  struct Building;
  [[nodiscard]] std::ptrdiff_t place_value(ValueId value, Building& building);
  [[nodiscard]] std::shared_ptr<const HostTensor> constant_of(ValueId value);

  Source source_;
  const PlanOptions& options_;
  std::map<ValueId, std::shared_ptr<const HostTensor>> views_;  ///< of constants: one tensor each, however often used
};

}  // namespace weft::graph
