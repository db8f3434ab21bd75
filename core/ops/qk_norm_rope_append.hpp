// Per-head norms, rotation and cache write of the step's q, k, v.
#pragma once

#include "core/kv_cache.hpp"
#include "core/op.hpp"
#include "core/rope_spec.hpp"

namespace weft {

/// q' = rope(rms_norm(q, q_norm)), k' = rope(rms_norm(k, k_norm)) (a norm is left out where its weight is absent), then
/// kv_append(k', v). A rope with rotated = 0 leaves q and k as they are.
/// Facts: tokens, sequences, heads, q_norm (0/1), k_norm (0/1), x (type), dense (0/1), the rope's (pairing, rotated,
/// pair_offset, divisors, yarn), kv.layout, kv.k_type, kv.v_type, kv_heads, dk, dv.
struct QkNormRopeAppend {
  static constexpr std::string_view name = "qk_norm_rope_append";
  static constexpr std::array inputs = {Port{"q", "[T, heads, dk] f32 or f16"},
                                        Port{"k", "[T, kv_heads, dk]"},
                                        Port{"v", "[T, kv_heads, dv]"},
                                        Port{"q_norm", "[dk] f32", PortKind::optional},
                                        Port{"k_norm", "[dk] f32", PortKind::optional},
                                        Port{"positions", "[T] i32"},
                                        Port{"sequences", "[T] i32"},
                                        Port{"kv_table", "[S, 1] i32"},
                                        Port{"cache", "[kv_rows] state"},
                                        Port{"divisors", "[pairs] f32", PortKind::optional}};
  static constexpr std::array outputs = {Port{"q", "[T, heads, dk]"}, Port{"cache", "[kv_rows] state"}};
  static constexpr std::array aliases = {Alias{.output = 1, .input = 8}};
  /// For q: |a cos| + |b sin| after the norm. The cache is left out.
  void magnitude(ConstHostViews in, MutableHostViews out) const;
  float eps = 1e-6F;
  float weight_offset = 0.0F;
  RopeSpec rope;
  CacheSpec cache;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<QkNormRopeAppend>> samples();
  friend bool operator==(const QkNormRopeAppend&, const QkNormRopeAppend&) = default;
};

}  // namespace weft
