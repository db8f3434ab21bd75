// A rewrite as a value: what it looks for, what it puts there, and an example that tests it; and its safe application.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "graph/pattern.hpp"

namespace weft::graph {

/// One node instead of several. Values that `parts` made and `outputs` doesn't name vanish.
struct Replacement {
  Op op;
  std::vector<ValueId> inputs;
  std::vector<ValueId>
      outputs;                ///< values that there are already: what the new node makes, in the order of its results
  std::vector<NodeId> parts;  ///< nodes that go
};

struct Rewrite {
  std::string_view name;
  /// Called for each node, last first, with the value of its first result.
  std::function<std::optional<Match>(const GraphIndex&, NodeId)> match;
  std::function<std::optional<Replacement>(const GraphIndex&, const Match&)> replace;
  /// A small graph where the rewrite fires exactly once: before and after must give the same results.
  std::function<Result<Graph>()> example;
};
/// Patterns match where their outermost op made a node's first result.
[[nodiscard]] std::function<std::optional<Match>(const GraphIndex&, NodeId)> matcher(Pattern pattern);

/// Whether the backend that runs the parts would run the call in their stead. `parts` are names of nodes.
using CanRun = std::function<bool(const OpCall& call, std::span<const std::string> parts)>;

/// What calls are asked about, apart from their operands.
struct CallContext {
  Phase phase = Phase::prefill;
  Precision precision = Precision::fast;
};

/// Applies a rewrite wherever it matches and is safe: the new op infers the very descriptors of the values that it
/// makes; vanishing values have no reader outside the parts and are no outputs; nothing between the parts depends on
/// one and feeds another; and `can_run` agrees. The new node has the name and layer of its last part.
struct RewriteResult {
  Graph graph;
  std::size_t applied = 0;
};
[[nodiscard]] RewriteResult apply(const Rewrite& rewrite, Graph graph, const CallContext& context,
                                  const CanRun& can_run);

}  // namespace weft::graph
