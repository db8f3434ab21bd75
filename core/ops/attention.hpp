// Attention over the KV cache.
#pragma once

#include "core/kv_cache.hpp"
#include "core/op.hpp"

namespace weft {

/// For token t of sequence s at position p, query head h, kv head g = h / (heads / kv_heads), over the keys k of s with
/// k <= p, and p - k < window where window > 0 (window keys, self included):
///   score_k = scale * (q . K[k, g]); softcap * tanh(score / softcap) where softcap > 0; softmax over k with the
///   maximum subtracted; y[t, h] = sum_k weight_k * V[k, g].
/// A sink adds exp(sink_h - m) to the denominator only (m includes the sink). A row that sees no key gives zeros.
/// Tokens of a sequence are neighbours in the batch, in the order of their positions; the step's own keys are in the
/// cache.
/// Facts: tokens, sequences, heads, group (query heads a KV head), kv_len (rows of the cache per sequence), window,
/// softcap (0/1), sinks (0/1), x (type), dense (0/1), kv.layout, kv.k_type, kv.v_type, kv_heads, dk, dv.
struct Attention {
  static constexpr std::string_view name = "attention";
  static constexpr std::array inputs = {Port{"q", "[T, heads, dk] f32 or f16"},
                                        Port{"positions", "[T] i32"},
                                        Port{"sequences", "[T] i32"},
                                        Port{"kv_table", "[S, 1] i32"},
                                        Port{"kv_lengths", "[S] i32, rows of each sequence that are valid"},
                                        Port{"cache", "[kv_rows] state"},
                                        Port{"sinks", "[heads] f32", PortKind::optional}};
  static constexpr std::array outputs = {Port{"y", "[T, heads, dv]"}};
  /// Attention weights times |v|: what an error is measured against.
  void magnitude(ConstHostViews in, MutableHostViews out) const;
  CacheSpec cache;
  float scale = 1.0F;       ///< of q . k; never derived inside a kernel
  std::int64_t window = 0;  ///< keys that a query sees, self included; 0 = all
  float softcap = 0.0F;     ///< 0 = none

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Attention>> samples();
  friend bool operator==(const Attention&, const Attention&) = default;
};

}  // namespace weft
