// Builds a graph by named calls. The first error is kept and returned by finish(); calls after it do nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/result.hpp"
#include "graph/ir.hpp"

namespace weft::graph {

/// Operands that attention-like ops share in one step.
struct BatchInputs {
  ValueId positions = absent_value;   ///< [T] i32
  ValueId sequences = absent_value;   ///< [T] i32
  ValueId kv_table = absent_value;    ///< [S, 1] i32
  ValueId kv_lengths = absent_value;  ///< [S] i32
};

class GraphBuilder {
 public:
  /// Nodes added from now on belong to `layer`, and their names start with `prefix` ("blk.3.").
  void enter_layer(int layer, std::string prefix);
  void leave_layer();

  ValueId input(std::string name, const TensorDesc& desc);
  ValueId state(std::string name, const TensorDesc& desc);
  ValueId constant(std::shared_ptr<const HostTensor> tensor);  ///< null gives absent_value

  ValueId embed(std::string_view name, ValueId ids, ValueId table, float scale);
  ValueId rms_norm(std::string_view name, ValueId x, ValueId weight, float eps);
  ValueId quant_matmul(std::string_view name, ValueId x, ValueId w, ValueId bias = absent_value);
  ValueId rope(std::string_view name, ValueId x, ValueId positions, const RopeSpec& spec,
               ValueId divisors = absent_value);
  /// Returns the cache after the write.
  ValueId kv_append(std::string_view name, ValueId k, ValueId v, const BatchInputs& batch, ValueId cache,
                    const CacheSpec& spec);
  ValueId attention(std::string_view name, ValueId q, const BatchInputs& batch, ValueId cache,
                    const Attention& attributes, ValueId sinks = absent_value);
  ValueId add(std::string_view name, ValueId a, ValueId b);
  ValueId mul(std::string_view name, ValueId a, ValueId b);
  ValueId scale(std::string_view name, ValueId x, float factor);
  ValueId softcap(std::string_view name, ValueId x, float cap);
  ValueId glu(std::string_view name, ValueId gate, ValueId up, ActivationKind activation);
  ValueId activation(std::string_view name, ValueId x, ActivationKind activation);
  ValueId cast(std::string_view name, ValueId x, DType to);
  ValueId reshape(ValueId x, const Shape& shape);
  ValueId slice(ValueId x, std::int64_t axis, std::int64_t begin, std::int64_t length);
  ValueId argmax(std::string_view name, ValueId x);

  /// Any op: the general door that the named calls use. Returns the outputs (absent_value each after an error).
  std::vector<ValueId> add_node(std::string_view name, const Op& op, std::vector<ValueId> inputs);

  void output(ValueId value);
  [[nodiscard]] const TensorDesc& desc(ValueId value) const;
  /// Records an error of the caller's own (a weight of the wrong shape).
  void fail_with(Error error);
  [[nodiscard]] Result<Graph> finish();

 private:
  ValueId add_value(Value value);
  ValueId add_step_value(std::string name, const TensorDesc& desc, ValueKind kind);
  /// The first of `base`, `base.2`, `base.3` … that no node has: names of views, which callers don't name.
  [[nodiscard]] std::string free_name(std::string_view base) const;
  [[nodiscard]] bool knows(ValueId value) const;
  ValueId add_view(std::string_view suffix, ValueId x, const Op& op);

  Graph graph_;
  std::optional<Error> error_;
  int layer_ = -1;
  std::string prefix_;
  std::unordered_set<std::string> names_;                     ///< of nodes, inputs and states
  std::unordered_map<const HostTensor*, ValueId> constants_;  ///< a tensor that is used twice is one value
};

}  // namespace weft::graph
