// The KV cache's shape as launch sizes.
#pragma once

#include "backends/opencl/ops/plans.hpp"
#include "core/kv_cache.hpp"

namespace weft::opencl {

/// Byte offset of the values in a cache of the operand's rows (cache_planes().v_offset).
[[nodiscard]] Size v_plane_offset(const CacheSpec& spec, const TensorDesc& cache);

}  // namespace weft::opencl
