// qwen3: as qwen2 without biases, with norms on each head of q and k, and a head width of its own.
#include "models/families/family.hpp"

namespace weft::models {

Result<ModelSpec> qwen3_spec(const GgufFile& file) {
  auto spec = common_spec(file);
  if (!spec) return spec;
  const auto rope = rope_from(file, RopePairing::halves, spec->layers.front().attention.dk);
  if (!rope) return error_of(rope);
  for (LayerSpec& layer : spec->layers) {
    layer.attention.rope = *rope;
    layer.attention.qk_norm = true;
  }
  return spec;
}

}  // namespace weft::models
