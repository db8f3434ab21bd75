// qwen2: Qwen 2 and 2.5. As llama with biases on q, k, v (found by their tensors) and pairs in halves.
#include "models/families/family.hpp"

namespace weft::models {

Result<ModelSpec> qwen2_spec(const GgufFile& file) {
  auto spec = common_spec(file);
  if (!spec) return spec;
  const auto rope = rope_from(file, RopePairing::halves, spec->layers.front().attention.dk);
  if (!rope) return error_of(rope);
  for (LayerSpec& layer : spec->layers) layer.attention.rope = *rope;
  return spec;
}

}  // namespace weft::models
