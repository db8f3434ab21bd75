// The order of work: segments of neighbouring nodes on one backend, copies between memory domains, and where queues
// must wait for each other.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "graph/ir.hpp"
#include "graph/placement.hpp"
#include "graph/storage.hpp"

namespace weft::graph {

/// Moves a whole base value to another domain, through host memory.
struct CopyStep {
  ValueId base = absent_value;
  std::size_t from_backend = 0;  ///< the one that made it
  std::size_t to_backend = 0;    ///< the one that needs it first
};

struct PlannedSegment {
  std::size_t backend = 0;
  std::vector<NodeId> nodes;
  std::vector<std::size_t> finish;  ///< backends of the same memory whose queues must end before this starts
  std::vector<CopyStep> copies;     ///< after that, and before the nodes
};

/// An input that a domain needs, uploaded at the start through a backend's queue.
struct UploadStep {
  std::size_t input = 0;  ///< position in Graph::inputs
  std::size_t backend = 0;
};
/// An output, downloaded at the end through the queue of the backend that made it.
struct DownloadStep {
  std::size_t output = 0;  ///< position in Graph::outputs
  std::size_t backend = 0;
};

struct Schedule {
  std::vector<std::string> domains;
  std::vector<std::size_t> domain_of_backend;
  std::vector<PlannedSegment> segments;
  std::vector<UploadStep> uploads;
  std::vector<DownloadStep> downloads;
};

/// Keeps the nodes' order: a segment is a maximal run of neighbours on one backend, views left out.
[[nodiscard]] Result<Schedule> make_schedule(const Graph& graph, const Placement& placement,
                                             const std::vector<Storage>& storage,
                                             std::span<const std::shared_ptr<Backend>> backends);

}  // namespace weft::graph
