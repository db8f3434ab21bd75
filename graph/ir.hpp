// The op graph: values in SSA form and nodes in an order that respects dependencies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ops.hpp"
#include "core/tensor.hpp"

namespace weft::graph {

using ValueId = std::int32_t;
using NodeId = std::int32_t;
inline constexpr ValueId absent_value = -1;
inline constexpr NodeId no_node = -1;

enum class ValueKind : std::uint8_t {
  input,     ///< brought by each step: ids, positions …
  constant,  ///< a weight
  state,     ///< a KV cache: owned by the session, updated in place (its successors alias it)
  computed,  ///< made by a node
};

struct Value {
  std::string name;
  TensorDesc desc;
  ValueKind kind = ValueKind::computed;
  std::shared_ptr<const HostTensor> constant;  ///< of constants
  NodeId producer = no_node;                   ///< of computed values
};

struct Node {
  Op op;
  std::vector<ValueId> inputs;  ///< absent_value for absent operands
  std::vector<ValueId> outputs;
  std::string name;  ///< "blk.3.attn_q": stable, unique; a fused node is named after its last part
  int layer = -1;    ///< -1 outside the layers
};

/// Passes take a graph and return one; a verified graph is not changed.
struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< in execution order
  std::vector<ValueId> inputs;
  std::vector<ValueId> states;
  std::vector<ValueId> outputs;

  [[nodiscard]] const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
};

}  // namespace weft::graph
