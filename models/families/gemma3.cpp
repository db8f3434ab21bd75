// gemma3 (text): four norms a layer, norms on q and k, GELU, scaled embeddings, and sliding layers with a frequency
// base of their own between full ones. The +1 of the norms is already in a GGUF file's weights.
#include <cmath>

#include "models/families/family.hpp"

namespace weft::models {
namespace {

constexpr double default_sliding_theta = 10000.0;
constexpr std::int64_t default_period = 6;
constexpr std::size_t layers_of_27b = 62;  // its query scale is by width / heads; the file doesn't say so

/// Which layers slide: a period n (all but each n-th layer), or one flag a layer.
Result<std::vector<bool>> sliding_layers(const GgufFile& file, std::size_t layers) {
  const std::string_view key = "gemma3.attention.sliding_window_pattern";
  const auto pattern = file.integers(key);
  if (!pattern) return error_of(pattern);
  std::vector<bool> slides(layers);
  if (*pattern && (*pattern)->size() > 1) {
    if ((*pattern)->size() != layers) {
      return fail(ErrorCode::invalid_file, "{}: {} has {} entries for {} layers", file.path().string(), key,
                  (*pattern)->size(), layers);
    }
    for (std::size_t i = 0; i < layers; ++i) slides[i] = (**pattern)[i] != 0;
    return slides;
  }
  const std::int64_t period = *pattern && !(*pattern)->empty() ? (*pattern)->front() : default_period;
  if (period < 0) {
    return fail(ErrorCode::invalid_file, "{}: {} is {}, wanted 0 or more", file.path().string(), key, period);
  }
  for (std::size_t i = 0; i < layers; ++i) {
    slides[i] = period == 0 || static_cast<std::int64_t>(i) % period < period - 1;
  }
  return slides;
}

}  // namespace

Result<ModelSpec> gemma3_spec(const GgufFile& file) {
  auto spec = common_spec(file);
  if (!spec) return spec;
  const AttentionSpec& first = spec->layers.front().attention;
  const auto full_rope = rope_from(file, RopePairing::halves, first.dk);
  if (!full_rope) return error_of(full_rope);
  const auto theta = file.number("gemma3.rope.freq_base_swa");
  if (!theta) return error_of(theta);
  const auto window = file.integer("gemma3.attention.sliding_window");
  if (!window) return error_of(window);
  const auto slides = sliding_layers(file, spec->layers.size());
  if (!slides) return error_of(slides);
  const RopeSpec sliding_rope = RopeSpec::plain(RopePairing::halves, full_rope->rotated,
                                                static_cast<float>(theta->value_or(default_sliding_theta)));
  spec->embedding_scale = std::sqrt(static_cast<float>(spec->width));
  for (std::size_t i = 0; i < spec->layers.size(); ++i) {
    LayerSpec& layer = spec->layers[i];
    layer.post_attention_norm = true;
    layer.post_feed_forward_norm = true;
    layer.feed_forward.activation = ActivationKind::gelu_tanh;
    layer.attention.qk_norm = true;
    const bool sliding = (*slides)[i] && window->value_or(0) > 0;
    layer.attention.window = sliding ? **window : 0;
    layer.attention.rope = sliding ? sliding_rope : *full_rope;
    if (spec->layers.size() == layers_of_27b) {
      layer.attention.scale =
          1.0F / std::sqrt(static_cast<float>(spec->width) / static_cast<float>(layer.attention.heads));
    }
  }
  return spec;
}

}  // namespace weft::models
