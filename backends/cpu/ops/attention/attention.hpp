// What the attention kernels share: their operands, which keys a token sees, and the batch's runs of tokens.
#pragma once

#include <cstdint>
#include <limits>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/operand_rows.hpp"
#include "backends/cpu/ops/cache_view.hpp"

namespace weft::cpu {

inline constexpr float no_score = -std::numeric_limits<float>::infinity();

/// Operands of one run of an attention step.
struct AttentionBatch {
  OperandRows q, y;
  CacheView cache;
  const std::int32_t* positions = nullptr;
  const std::int32_t* sequences = nullptr;
  const std::int32_t* table = nullptr;
  const std::int32_t* lengths = nullptr;
  const float* sinks = nullptr;  ///< may be null
  std::int64_t tokens = 0;
  std::int64_t heads = 0;
  std::int64_t group = 1;  ///< query heads a KV head

  [[nodiscard]] std::int64_t first_row(std::int64_t token) const { return table[sequences[token]]; }
};

/// Positions [begin, end) that a token sees.
struct Visible {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Compiled once: attributes and descriptors.
struct AttentionPlan {
  AttentionPlan(const StepPlan& plan, const Loops& table);
  [[nodiscard]] AttentionBatch batch(const StepContext& context) const;
  [[nodiscard]] Visible visible(const AttentionBatch& batch, std::int64_t token) const;
  /// Scores of raw products: times scale, then the soft-cap.
  void finish_scores(float* scores, std::int64_t n) const;

  Attention op;
  TensorDesc q, y, cache;
  const Loops* loops = nullptr;
};

/// Few tokens: each token's keys are split into parts, whose results are merged in a second phase.
[[nodiscard]] Result<std::unique_ptr<Step>> make_split_attention(StepPlan& plan, const Loops& loops);
/// Many tokens: tiles of neighbouring queries meet tiles of keys.
[[nodiscard]] Result<std::unique_ptr<Step>> make_tiled_attention(StepPlan& plan, const Loops& loops);

}  // namespace weft::cpu
