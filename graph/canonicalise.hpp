// Clean-up before fusion, so that patterns see one form of each thing.
#pragma once

#include "graph/ir.hpp"

namespace weft::graph {

/// Equal ops on equal operands become one (not those that update in place); a scale by 1, a cast to the same type and a
/// view that changes nothing go; nodes and values that nothing uses go.
[[nodiscard]] Graph canonicalise(Graph graph);

}  // namespace weft::graph
