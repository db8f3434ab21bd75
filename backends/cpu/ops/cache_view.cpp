// Access to cache rows of any type.
#include "backends/cpu/ops/cache_view.hpp"

#include "core/quant/block_format.hpp"
#include "core/quant/encode_row.hpp"

namespace weft::cpu {
namespace {

CacheRows decoded(const CacheRows& stored, float* buffer) {
  if (!is_quantised(stored.type)) return stored;
  for (std::int64_t i = 0; i < stored.count; ++i) {
    decode_row(stored.type, stored.data + i * stored.stride_bytes,
               {buffer + i * stored.width, static_cast<std::size_t>(stored.width)});
  }
  return {reinterpret_cast<const std::byte*>(buffer), stored.width * 4, stored.count, stored.width, DType::f32};
}

}  // namespace

CacheRows CacheView::keys(std::int64_t row, std::int64_t count, std::int64_t head, float* buffer) const {
  return decoded({key(row, head), static_cast<std::int64_t>(planes_.k_row_bytes), count, spec_.dk, spec_.k_type},
                 buffer);
}

CacheRows CacheView::values(std::int64_t row, std::int64_t count, std::int64_t head, float* buffer) const {
  return decoded({value(row, head), static_cast<std::int64_t>(planes_.v_row_bytes), count, spec_.dv, spec_.v_type},
                 buffer);
}

void store_cache_row(const Loops& loops, DType type, std::span<const float> values, std::byte* row) {
  const auto n = static_cast<std::int64_t>(values.size());
  switch (type) {
    case DType::f32: return loops.copy(values.data(), reinterpret_cast<float*>(row), n);
    case DType::f16: return loops.narrow_f16(values.data(), reinterpret_cast<std::uint16_t*>(row), n);
    case DType::bf16: return loops.narrow_bf16(values.data(), reinterpret_cast<std::uint16_t*>(row), n);
    default: return encode_row(type, values, row);
  }
}

}  // namespace weft::cpu
