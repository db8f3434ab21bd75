// From a graph to something that runs: passes, placement, segments, memory plan, compiled executables, and steps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "graph/ir.hpp"

namespace weft::graph {

/// Largest value of each symbol that a plan serves.
struct PlanLimits {
  std::int64_t tokens = 1;
  std::int64_t sequences = 1;
  std::int64_t outputs = 1;
  std::int64_t kv_len = 1;
  std::int64_t kv_rows = 1;
};

/// Called after each pass with its name and the graph: what --dump-graph uses. Never changes the plan.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  virtual void after(std::string_view pass, const Graph& graph) = 0;
};

struct PlanOptions {
  PlanLimits limits;
  Phase phase = Phase::prefill;
  Precision precision = Precision::fast;
  bool fuse = true;              ///< false leaves the rewrites out: for tests and comparisons
  std::int64_t gpu_layers = -1;  ///< layers that a device backend may take, counted from the last; -1 = all
  std::vector<RuleOverride> placement_rules;  ///< replaces the embedded placement table
  PassObserver* observer = nullptr;           ///< not owned
};

/// What --explain shows of one node.
struct NodeReport {
  std::string node;
  std::string op;
  int layer = -1;
  std::string backend;
  std::string placement_rule;  ///< which placement rule chose the backend first in line, and why
  Selection selection;
  std::vector<std::string> refusals;  ///< backends asked before this one: "opencl: …first failing facts…"
  std::size_t segment = 0;
  Cost cost;
};
struct SegmentReport {
  std::string backend;
  std::size_t steps = 0;
  std::string description;  ///< of the executable
};
struct PlanReport {
  std::vector<NodeReport> nodes;
  std::vector<SegmentReport> segments;
  std::size_t copies = 0;                ///< copy steps between memory domains
  std::size_t arena_bytes = 0;           ///< of all domains
  std::size_t unshared_arena_bytes = 0;  ///< what arenas would take without reuse by lifetime
};

/// One step's data. Sizes follow the symbols' values; inputs, states and outputs in the graph's order.
struct StepData {
  std::span<const std::span<const std::byte>> inputs;
  std::span<const BufferView> states;
  std::span<const std::span<std::byte>> outputs;
};

/// How long a node took, for --profile.
struct NodeTime {
  std::size_t node = 0;  ///< index into PlanReport::nodes
  double seconds = 0;
};

/// A compiled plan with its arenas. Not thread-safe; plans of different sessions are independent.
class Plan {
 public:
  virtual ~Plan() = default;
  /// `backends` in the order of placement; kept alive by the plan. Errors name the node that no backend can run.
  [[nodiscard]] static Result<std::unique_ptr<Plan>> compile(const Graph& graph, const PlanOptions& options,
                                                             std::span<const std::shared_ptr<Backend>> backends);
  [[nodiscard]] virtual const PlanReport& report() const = 0;
  [[nodiscard]] virtual const PlanLimits& limits() const = 0;
  /// The backend whose memory holds state `index` of the graph.
  [[nodiscard]] virtual Backend& state_backend(std::size_t index) const = 0;
  /// Runs one step to its end. Allocates, looks up and compiles nothing. An error leaves state rows beyond the
  /// committed lengths undefined and everything else as before.
  [[nodiscard]] virtual Status run(const StepData& data, const SymbolValues& symbols) = 0;
  /// Records node times from the next step on; never changes the plan.
  [[nodiscard]] virtual Status record_times(bool on) = 0;
  [[nodiscard]] virtual std::vector<NodeTime> take_times() = 0;
};

}  // namespace weft::graph
