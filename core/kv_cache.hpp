// How one layer's keys and values are stored: the layout, its types, and where each row lies in the layer's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/dtype.hpp"

namespace weft {

enum class KvLayout : std::uint8_t {
  contiguous,  ///< a sequence's rows follow each other: row(s, p) = kv_table[s, 0] + p
};
[[nodiscard]] std::string_view name_of(KvLayout layout);

/// Shape of one layer's cache. The number of rows is no part of it: the buffer grows while the plan stays.
struct CacheSpec {
  KvLayout layout = KvLayout::contiguous;
  DType k_type = DType::f16;
  DType v_type = DType::f16;
  std::int64_t kv_heads = 0;
  std::int64_t dk = 0;  ///< width of a key of one head
  std::int64_t dv = 0;  ///< width of a value of one head
  friend bool operator==(const CacheSpec&, const CacheSpec&) = default;
};

/// Byte positions inside a layer's buffer of `rows` rows. Keys first, then values, each [rows, kv_heads, d].
struct CachePlanes {
  std::size_t k_offset = 0;
  std::size_t v_offset = 0;  ///< a multiple of 256
  std::size_t k_head_bytes = 0;
  std::size_t v_head_bytes = 0;
  std::size_t k_row_bytes = 0;  ///< of all heads of one row
  std::size_t v_row_bytes = 0;
  std::size_t bytes = 0;  ///< of the whole buffer
};
[[nodiscard]] CachePlanes cache_planes(const CacheSpec& spec, std::int64_t rows);

}  // namespace weft
