// Sizes of published models, for files with random weights.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft::models {

struct ModelShape {
  std::string_view name;          ///< "llama-8b"
  std::string_view architecture;  ///< general.architecture
  std::int64_t layers = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t feed_forward = 0;
  std::int64_t vocab = 0;
  std::int64_t context = 0;
  float theta = 10000.0F;  ///< base of the rotation's frequencies
  float eps = 1e-5F;
  bool own_head = false;       ///< output.weight; else the token table is the head
  float rope_factor = 1.0F;    ///< above 1: Llama 3.1's stretched low frequencies, as rope_freqs.weight
  float linear_factor = 1.0F;  ///< positions are divided by it
  std::int64_t window = 0;     ///< of sliding layers
};

/// Smallest first within a family.
[[nodiscard]] std::span<const ModelShape> model_shapes();
/// Null when there is no such shape.
[[nodiscard]] const ModelShape* find_shape(std::string_view name);

}  // namespace weft::models
