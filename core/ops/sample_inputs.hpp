// Building blocks of ops' samples.
#pragma once

#include <cstdint>
#include <vector>

#include "core/op.hpp"

namespace weft::sample {

[[nodiscard]] SampleInput normal(DType type, const Shape& shape, float scale = 1.0F);
[[nodiscard]] SampleInput values(DType type, const Shape& shape, std::vector<float> numbers);
/// All elements the same.
[[nodiscard]] SampleInput constant(DType type, const Shape& shape, float number);
/// A norm's weight: f32 [width], 0.5 to 1.5 (as trained ones: a spread gain would make outliers of ordinary rows).
[[nodiscard]] SampleInput gain(std::int64_t width);
[[nodiscard]] SampleInput integers(std::vector<std::int32_t> numbers);
[[nodiscard]] SampleInput absent();
/// Rows of `shape` that are `gap` elements (a multiple of the block) apart from each other in memory.
[[nodiscard]] SampleInput strided(DType type, const Shape& shape, std::int64_t gap, float scale = 1.0F);

/// Numbers around 1 in size with a large one (6) every 37 elements: outliers as activations have them.
[[nodiscard]] std::vector<float> with_outliers(std::int64_t count);
/// Numbers whose magnitudes lie around the smallest normal f32.
[[nodiscard]] std::vector<float> denormals(std::int64_t count);

/// Where one sequence of a batch stands.
struct BatchEntry {
  std::int32_t history = 0;  ///< rows in the cache before the step
  std::int32_t tokens = 0;   ///< tokens of the step
};
/// The integer operands of a ragged batch. Sequence s owns `capacity` rows of the cache; sequences lie in it in reverse
/// order, so that their number isn't their place.
struct Batch {
  SampleInput positions, sequences, kv_table, kv_lengths, cache;
  std::int64_t tokens = 0;
};
[[nodiscard]] Batch batch(const std::vector<BatchEntry>& entries);

}  // namespace weft::sample
