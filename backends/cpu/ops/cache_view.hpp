// One layer's KV cache while a step runs: rows of a head by position, and rows written in the cache's types.
#pragma once

#include <span>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/loops/loops.hpp"
#include "core/kv_cache.hpp"

namespace weft::cpu {

/// Where a step finds the batch's operands among its inputs.
struct BatchInputs {
  std::size_t positions = 0;
  std::size_t sequences = 0;
  std::size_t kv_table = 0;
  std::size_t cache = 0;
};

class CacheView {
 public:
  CacheView(const CacheSpec& spec, std::int64_t rows, std::byte* data)
      : spec_(spec), planes_(cache_planes(spec, rows)), data_(data) {}

  [[nodiscard]] std::byte* key(std::int64_t row, std::int64_t head) const {
    return data_ + planes_.k_offset + static_cast<std::size_t>(row) * planes_.k_row_bytes +
           static_cast<std::size_t>(head) * planes_.k_head_bytes;
  }
  [[nodiscard]] std::byte* value(std::int64_t row, std::int64_t head) const {
    return data_ + planes_.v_offset + static_cast<std::size_t>(row) * planes_.v_row_bytes +
           static_cast<std::size_t>(head) * planes_.v_head_bytes;
  }
  /// `count` rows of a head from `row` on; rows of block types are decoded into `buffer` first.
  [[nodiscard]] CacheRows keys(std::int64_t row, std::int64_t count, std::int64_t head, float* buffer) const;
  [[nodiscard]] CacheRows values(std::int64_t row, std::int64_t count, std::int64_t head, float* buffer) const;

 private:
  CacheSpec spec_;
  CachePlanes planes_;
  std::byte* data_ = nullptr;
};

/// Rounds a head's row to a cache type.
void store_cache_row(const Loops& loops, DType type, std::span<const float> values, std::byte* row);

}  // namespace weft::cpu
