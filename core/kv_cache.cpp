// Byte positions of the KV cache's planes.
#include "core/kv_cache.hpp"

namespace weft {
namespace {
constexpr std::size_t plane_alignment = 256;
}

std::string_view name_of(KvLayout layout) {
  switch (layout) {
    case KvLayout::contiguous: return "contiguous";
  }
  return "contiguous";
}

CachePlanes cache_planes(const CacheSpec& spec, std::int64_t rows) {
  CachePlanes planes;
  planes.k_head_bytes = static_cast<std::size_t>(row_bytes(spec.k_type, spec.dk));
  planes.v_head_bytes = static_cast<std::size_t>(row_bytes(spec.v_type, spec.dv));
  planes.k_row_bytes = planes.k_head_bytes * static_cast<std::size_t>(spec.kv_heads);
  planes.v_row_bytes = planes.v_head_bytes * static_cast<std::size_t>(spec.kv_heads);
  const std::size_t k_bytes = planes.k_row_bytes * static_cast<std::size_t>(rows);
  planes.v_offset = (k_bytes + plane_alignment - 1) / plane_alignment * plane_alignment;
  planes.bytes = planes.v_offset + planes.v_row_bytes * static_cast<std::size_t>(rows);
  return planes;
}

}  // namespace weft
