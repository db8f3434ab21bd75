// The table of shapes. Sizes are those of the models' published configurations.
#include "models/synthetic/shapes.hpp"

#include <algorithm>
#include <array>

namespace weft::models {
namespace {

// clang-format off
constexpr std::array shapes{
    // Not published: every matrix has rows of whole blocks of 256, so that each type is met.
    ModelShape{.name = "tiny", .architecture = "llama", .layers = 2, .width = 256, .heads = 4, .kv_heads = 2,
               .head_dim = 64, .feed_forward = 512, .vocab = 512, .context = 2048},
    ModelShape{.name = "smollm2-135m", .architecture = "llama", .layers = 30, .width = 576, .heads = 9, .kv_heads = 3,
               .head_dim = 64, .feed_forward = 1536, .vocab = 49152, .context = 8192, .theta = 1e5F},
    ModelShape{.name = "llama-1b", .architecture = "llama", .layers = 16, .width = 2048, .heads = 32, .kv_heads = 8,
               .head_dim = 64, .feed_forward = 8192, .vocab = 128256, .context = 131072, .theta = 5e5F,
               .rope_factor = 32},
    ModelShape{.name = "llama-3b", .architecture = "llama", .layers = 28, .width = 3072, .heads = 24, .kv_heads = 8,
               .head_dim = 128, .feed_forward = 8192, .vocab = 128256, .context = 131072, .theta = 5e5F,
               .rope_factor = 32},
    ModelShape{.name = "llama-8b", .architecture = "llama", .layers = 32, .width = 4096, .heads = 32, .kv_heads = 8,
               .head_dim = 128, .feed_forward = 14336, .vocab = 128256, .context = 131072, .theta = 5e5F,
               .own_head = true, .rope_factor = 8},
    ModelShape{.name = "llama-70b", .architecture = "llama", .layers = 80, .width = 8192, .heads = 64, .kv_heads = 8,
               .head_dim = 128, .feed_forward = 28672, .vocab = 128256, .context = 131072, .theta = 5e5F,
               .own_head = true, .rope_factor = 8},
    ModelShape{.name = "qwen-0.5b", .architecture = "qwen2", .layers = 24, .width = 896, .heads = 14, .kv_heads = 2,
               .head_dim = 64, .feed_forward = 4864, .vocab = 151936, .context = 32768, .theta = 1e6F, .eps = 1e-6F},
    ModelShape{.name = "qwen-1.5b", .architecture = "qwen2", .layers = 28, .width = 1536, .heads = 12, .kv_heads = 2,
               .head_dim = 128, .feed_forward = 8960, .vocab = 151936, .context = 32768, .theta = 1e6F, .eps = 1e-6F},
    ModelShape{.name = "qwen-7b", .architecture = "qwen2", .layers = 28, .width = 3584, .heads = 28, .kv_heads = 4,
               .head_dim = 128, .feed_forward = 18944, .vocab = 152064, .context = 32768, .theta = 1e6F, .eps = 1e-6F,
               .own_head = true},
    ModelShape{.name = "qwen3-0.6b", .architecture = "qwen3", .layers = 28, .width = 1024, .heads = 16, .kv_heads = 8,
               .head_dim = 128, .feed_forward = 3072, .vocab = 151936, .context = 40960, .theta = 1e6F, .eps = 1e-6F},
    ModelShape{.name = "qwen3-8b", .architecture = "qwen3", .layers = 36, .width = 4096, .heads = 32, .kv_heads = 8,
               .head_dim = 128, .feed_forward = 12288, .vocab = 151936, .context = 40960, .theta = 1e6F, .eps = 1e-6F,
               .own_head = true},
    ModelShape{.name = "gemma3-270m", .architecture = "gemma3", .layers = 18, .width = 640, .heads = 4, .kv_heads = 1,
               .head_dim = 256, .feed_forward = 2048, .vocab = 262144, .context = 32768, .theta = 1e6F, .eps = 1e-6F,
               .window = 512},
    ModelShape{.name = "gemma3-1b", .architecture = "gemma3", .layers = 26, .width = 1152, .heads = 4, .kv_heads = 1,
               .head_dim = 256, .feed_forward = 6912, .vocab = 262144, .context = 32768, .theta = 1e6F, .eps = 1e-6F,
               .window = 512},
    ModelShape{.name = "gemma3-4b", .architecture = "gemma3", .layers = 34, .width = 2560, .heads = 8, .kv_heads = 4,
               .head_dim = 256, .feed_forward = 10240, .vocab = 262208, .context = 131072, .theta = 1e6F, .eps = 1e-6F,
               .linear_factor = 8, .window = 1024},
};
// clang-format on

}  // namespace

std::span<const ModelShape> model_shapes() { return shapes; }

const ModelShape* find_shape(std::string_view name) {
  const auto* const found = std::ranges::find(shapes, name, &ModelShape::name);
  return found == shapes.end() ? nullptr : found;
}

}  // namespace weft::models
