// What the ops on the KV cache share: checks of the specification and of a batch's operands, and access to rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kv_cache.hpp"
#include "core/ops/check.hpp"

namespace weft {

/// Sizes above 0, types that a cache may have (f32, f16, bf16, q8_0, q4_0), whole blocks in a head's row.
void check_cache_spec(OperandChecks& check, const CacheSpec& spec);

/// Places of the operands of a batch, among an op's inputs.
struct BatchPorts {
  std::size_t positions = 0;
  std::size_t sequences = 0;
  std::size_t kv_table = 0;
  std::size_t cache = 0;
};
void check_batch(OperandChecks& check, const BatchPorts& ports, Dim tokens);

/// `kv.layout`, `kv.k_type`, `kv.v_type`, `kv_heads`, `dk`, `dv`.
void set_cache_facts(Facts& facts, const CacheSpec& spec);

/// One layer's cache in host memory: `rows` rows as cache_planes lays them out. `Byte` may be const.
template <class Byte>
class CacheRows {
 public:
  CacheRows(const CacheSpec& spec, std::int64_t rows, Byte* data)
      : planes_(cache_planes(spec, rows)), rows_(rows), data_(data) {}
  [[nodiscard]] Byte* key(std::int64_t row, std::int64_t head) const {
    return data_ + planes_.k_offset + at(row, planes_.k_row_bytes) + at(head, planes_.k_head_bytes);
  }
  [[nodiscard]] Byte* value(std::int64_t row, std::int64_t head) const {
    return data_ + planes_.v_offset + at(row, planes_.v_row_bytes) + at(head, planes_.v_head_bytes);
  }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::size_t bytes() const { return planes_.bytes; }

 private:
  static std::size_t at(std::int64_t index, std::size_t bytes) { return static_cast<std::size_t>(index) * bytes; }
  CachePlanes planes_;
  std::int64_t rows_ = 0;
  Byte* data_ = nullptr;
};

/// A row of the cache for each token: kv_table[sequences[t], 0] + positions[t].
[[nodiscard]] std::vector<std::int64_t> cache_row_of_tokens(const ConstHostView& positions,
                                                            const ConstHostView& sequences,
                                                            const ConstHostView& kv_table);

}  // namespace weft
