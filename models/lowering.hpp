// Turns a model's specification and weights into the op graph that every step runs.
#pragma once

#include "core/kv_cache.hpp"
#include "core/result.hpp"
#include "graph/ir.hpp"
#include "models/spec.hpp"
#include "models/weights.hpp"

namespace weft::models {

/// What of a model's graph depends on the session.
struct LoweringOptions {
  DType k_type = DType::f16;
  DType v_type = DType::f16;
};

/// Positions of a step's inputs in Graph::inputs.
enum class StepInput : std::uint8_t { ids, positions, sequences, kv_table, kv_lengths, output_rows };
inline constexpr std::size_t step_inputs = 6;

/// A model's graph: inputs as StepInput says, one state a layer, one output: logits [outputs, vocab] f32.
struct LoweredModel {
  graph::Graph graph;
  std::vector<CacheSpec> caches;  ///< of each state
};

/// Errors name the tensor that is missing or has another shape.
[[nodiscard]] Result<LoweredModel> lower(const ModelSpec& spec, const Weights& weights, const LoweringOptions& options);

}  // namespace weft::models
