// llama: Llama 2 and 3, Mistral, SmolLM2 and others of the same maths. In GGUF the rows of q and k are permuted, so
// pairs are neighbours.
#include "models/families/family.hpp"

namespace weft::models {

Result<ModelSpec> llama_spec(const GgufFile& file) {
  auto spec = common_spec(file);
  if (!spec) return spec;
  const auto experts = file.integer("llama.expert_count");
  if (!experts) return error_of(experts);
  if (experts->value_or(0) > 0) {
    return fail(ErrorCode::unsupported, "{}: llama.expert_count is {}; mixtures of experts are not supported yet",
                file.path().string(), **experts);
  }
  const auto rope = rope_from(file, RopePairing::interleaved, spec->layers.front().attention.dk);
  if (!rope) return error_of(rope);
  for (LayerSpec& layer : spec->layers) layer.attention.rope = *rope;
  return spec;
}

}  // namespace weft::models
