// Writes keys and values of the step into the cache.
#pragma once

#include "core/kv_cache.hpp"
#include "core/op.hpp"

namespace weft {

/// For each token t at position p of sequence s: row(s, p) of the cache = k[t], v[t], rounded to the cache's types
/// (core/kv_cache.hpp says where a row lies). All other bytes stay.
/// Facts: tokens, sequences, x (type), dense (0/1), kv.layout, kv.k_type, kv.v_type, kv_heads, dk, dv.
struct KvAppend {
  static constexpr std::string_view name = "kv_append";
  static constexpr std::array inputs = {Port{"k", "[T, kv_heads, dk] f32 or f16"},
                                        Port{"v", "[T, kv_heads, dv]"},
                                        Port{"positions", "[T] i32"},
                                        Port{"sequences", "[T] i32, index into kv_table"},
                                        Port{"kv_table", "[S, 1] i32, first row of each sequence"},
                                        Port{"cache", "[kv_rows] state"}};
  static constexpr std::array outputs = {Port{"cache", "[kv_rows] state"}};
  static constexpr std::array aliases = {Alias{.output = 0, .input = 5}};
  CacheSpec cache;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<KvAppend>> samples();
  friend bool operator==(const KvAppend&, const KvAppend&) = default;
};

}  // namespace weft
