// Placement: which backend runs each node, by rules and by what backends can run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/embedded_file.hpp"
#include "graph/ir.hpp"
#include "graph/plan.hpp"

namespace weft::graph {

/// The placement table built into the program.
[[nodiscard]] std::span<const EmbeddedFile> embedded_rules();

/// Facts of one node's placement, the same names for every op: op, phase, precision, tokens, sequences, layer,
/// layers_from_end (1 for the last layer and what follows it, layers + 1 before the first), gpu_layers_left
/// (gpu_layers - layers_from_end; negative: the layer isn't meant for a device), backends.
/// A rule's `use` names the backend that is asked first: "opencl", "cpu", "reference", the name of a given backend (a
/// plug-in), or "first" in the user's order. An override replaces the embedded table; there may be one.
[[nodiscard]] Result<RuleTable> load_placement_rules(std::span<const RuleOverride> overrides,
                                                     std::span<const std::shared_ptr<Backend>> backends);

struct NodePlacement {
  std::optional<std::size_t> backend;  ///< index into the plan's backends; none for views, which nothing runs
  Selection selection;
  std::string rule;                   ///< `<file>#<number>: why`, of the rule that chose whom to ask first
  std::vector<std::string> refusals;  ///< "<backend>: why not", of those asked before
};

struct Placement {
  std::vector<NodePlacement> nodes;  ///< one a node of the graph
};

/// Asks backends in order: the one that the rules name, those after it in the user's order, then those before it.
/// Nodes that share a KV cache are placed in one memory domain: the first where each of them finds a backend.
/// Errors: unsupported, with the node that no backend can run and each one's reason.
[[nodiscard]] Result<Placement> place(const Graph& graph, const PlanOptions& options, const RuleTable& rules,
                                      std::span<const std::shared_ptr<Backend>> backends);

/// The call of a node.
[[nodiscard]] OpCall call_of(const Graph& graph, const Node& node, const PlanOptions& options);

}  // namespace weft::graph
