// Runs a whole graph once with reproducible data: what equivalence tests compare.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/kv_cache.hpp"
#include "graph/plan.hpp"
#include "graph/storage.hpp"

namespace weft::graph::testing {

/// Sizes of the step that a test runs. Positions count up from 0 in one sequence.
struct StepSizes {
  std::int64_t tokens = 5;
  std::int64_t kv_rows = 5;
};

[[nodiscard]] inline SymbolValues symbols_of(const StepSizes& sizes) {
  SymbolValues symbols;
  symbols.set(Symbol::tokens, sizes.tokens)
      .set(Symbol::sequences, 1)
      .set(Symbol::outputs, 1)
      .set(Symbol::kv_len, sizes.tokens)
      .set(Symbol::kv_rows, sizes.kv_rows);
  return symbols;
}

[[nodiscard]] inline PlanOptions options_for(const StepSizes& sizes) {
  PlanOptions options;
  options.limits = {
      .tokens = sizes.tokens, .sequences = 1, .outputs = 1, .kv_len = sizes.tokens, .kv_rows = sizes.kv_rows};
  return options;
}

/// f32 inputs get normal numbers; i32 inputs what their names ask for, "positions" counting up, "kv_lengths" all
/// tokens, others 0.
[[nodiscard]] inline std::vector<std::byte> input_data(const Value& value, const SymbolValues& symbols,
                                                       std::mt19937& random) {
  std::vector<std::byte> bytes(value.desc.at(symbols).bytes());
  if (value.desc.dtype == DType::f32) {
    std::normal_distribution<float> normal;
    for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const float x = normal(random);
      std::memcpy(&bytes[i], &x, 4);
    }
    return bytes;
  }
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::int32_t x = 0;
    if (value.name == "positions") x = static_cast<std::int32_t>(i / 4);
    if (value.name == "kv_lengths") x = static_cast<std::int32_t>(symbols[Symbol::tokens]);
    std::memcpy(&bytes[i], &x, 4);
  }
  return bytes;
}

/// The layout of a state's buffer, from an op that uses it.
[[nodiscard]] inline CacheSpec cache_spec(const Graph& graph, std::size_t state) {
  const auto storage = resolve_storage(graph);
  if (!storage) return {};
  const auto users = state_users(graph, *storage);
  for (const NodeId n : users[state]) {
    const Op& op = graph.node(n).op;
    if (const auto* append = std::get_if<KvAppend>(&op)) return append->cache;
    if (const auto* fused = std::get_if<QkNormRopeAppend>(&op)) return fused->cache;
    if (const auto* attention = std::get_if<Attention>(&op)) return attention->cache;
  }
  return {};
}

/// All outputs of a step, as f32, one after another; i32 outputs as numbers.
struct RunResult {
  std::vector<float> values;
  PlanReport report;
};

[[nodiscard]] inline std::vector<float> as_numbers(DType type, std::span<const std::byte> bytes) {
  std::vector<float> numbers(bytes.size() / 4);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::int32_t whole = 0;
    std::memcpy(type == DType::i32 ? static_cast<void*>(&whole) : static_cast<void*>(&numbers[i]), &bytes[i * 4], 4);
    if (type == DType::i32) numbers[i] = static_cast<float>(whole);
  }
  return numbers;
}

[[nodiscard]] inline Result<RunResult> run_graph(const Graph& graph, const PlanOptions& options,
                                                 const std::vector<std::shared_ptr<Backend>>& backends,
                                                 const StepSizes& sizes = {}, unsigned seed = 1) {
  auto plan = Plan::compile(graph, options, backends);
  if (!plan) return error_of(plan);
  const SymbolValues symbols = symbols_of(sizes);
  std::mt19937 random(seed);
  std::vector<std::vector<std::byte>> inputs;
  for (const ValueId id : graph.inputs) inputs.push_back(input_data(graph.value(id), symbols, random));
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<BufferView> states;
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    const std::size_t bytes = cache_planes(cache_spec(graph, s), sizes.kv_rows).bytes;
    auto buffer = (*plan)->state_backend(s).allocate(bytes, MemoryKind::state);
    if (!buffer) return error_of(buffer);
    states.push_back({buffer->get(), 0, bytes});
    buffers.push_back(std::move(*buffer));
  }
  std::vector<std::vector<std::byte>> outputs;
  for (const ValueId id : graph.outputs) outputs.emplace_back(graph.value(id).desc.at(symbols).bytes());
  const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
  const std::vector<std::span<std::byte>> out(outputs.begin(), outputs.end());
  if (Status ok = (*plan)->run({in, states, out}, symbols); !ok) return error_of(ok);
  RunResult result{{}, (*plan)->report()};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto numbers = as_numbers(graph.value(graph.outputs[i]).desc.dtype, outputs[i]);
    result.values.insert(result.values.end(), numbers.begin(), numbers.end());
  }
  return result;
}

/// The largest difference, relative to the largest magnitude wanted; infinite where a value is not finite.
[[nodiscard]] inline double relative_error(std::span<const float> got, std::span<const float> want) {
  if (got.size() != want.size() || want.empty()) return INFINITY;
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(got[i]) || !std::isfinite(want[i])) return INFINITY;
    largest = std::max(largest, std::abs(static_cast<double>(want[i])));
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i])));
  }
  return largest == 0 ? worst : worst / largest;
}

/// All ops that the list knows as fused forms.
[[nodiscard]] inline bool has_op(const PlanReport& report, std::string_view op) {
  return std::ranges::find(report.nodes, op, &NodeReport::op) != report.nodes.end();
}

}  // namespace weft::graph::testing
