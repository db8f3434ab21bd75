// A model as data: hyper-parameters of the whole and of each layer. What differs between families is a field here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ops/activation.hpp"
#include "core/rope_spec.hpp"

namespace weft::models {

struct AttentionSpec {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t dk = 0;  ///< width of a query or key of one head
  std::int64_t dv = 0;
  float scale = 0.0F;       ///< of q . k
  float softcap = 0.0F;     ///< of scores; 0 = none
  std::int64_t window = 0;  ///< keys a query sees, self included; 0 = all
  bool qk_norm = false;     ///< norms of each head's q and k, before the rotation
  RopeSpec rope;
};

struct FeedForwardSpec {
  std::int64_t width = 0;
  ActivationKind activation = ActivationKind::silu;
};

struct LayerSpec {
  AttentionSpec attention;
  FeedForwardSpec feed_forward;
  bool post_attention_norm = false;     ///< on the attention's output, before its residual add
  bool post_feed_forward_norm = false;  ///< on the feed-forward's output, before its residual add
};

struct ModelSpec {
  std::string family;
  std::int64_t width = 0;  ///< of the residual stream
  std::int64_t vocab = 0;
  std::int64_t context = 0;  ///< trained length
  float norm_eps = 1e-6F;
  float embedding_scale = 1.0F;
  float logit_scale = 1.0F;
  float final_softcap = 0.0F;  ///< of logits; 0 = none
  std::vector<LayerSpec> layers;
};

}  // namespace weft::models
