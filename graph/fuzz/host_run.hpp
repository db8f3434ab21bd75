// A graph computed node by node with the ops' references, exactly or with each result moved by its tolerance.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "graph/fuzz/agreement.hpp"
#include "graph/ir.hpp"
#include "graph/storage.hpp"

namespace weft::graph::fuzz {

[[nodiscard]] SymbolValues step_symbols();
[[nodiscard]] std::vector<double> as_numbers(DType type, std::span<const std::byte> bytes);
/// Bytes of a state's buffer, from the layout of an op that uses it.
[[nodiscard]] std::size_t state_bytes(const Graph& graph, const std::vector<Storage>& storage, std::size_t state);

class HostRun {
 public:
  /// `random` gives the signs by which float results are moved; none: exact. States and views aren't moved.
  [[nodiscard]] static Result<HostRun> run(const Graph& graph, std::span<const Bytes> inputs, std::mt19937_64* random);
  /// A dense value's numbers.
  [[nodiscard]] std::vector<double> numbers(ValueId value) const;

 private:
  explicit HostRun(const Graph& graph) : graph_(&graph) {}
  MutableHostView view(ValueId value);
  void step(const Node& node, std::mt19937_64* random);

  const Graph* graph_;
  std::vector<Storage> storage_;
  std::vector<Bytes> memory_;  ///< of each base value
};

}  // namespace weft::graph::fuzz
