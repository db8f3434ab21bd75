// Caches and ragged batches that the ops on the KV cache should meet.
#pragma once

#include <string>
#include <vector>

#include "core/kv_cache.hpp"
#include "core/ops/sample_inputs.hpp"

namespace weft {

struct KvCase {
  std::string name;
  CacheSpec cache;
  DType activation = DType::f32;
  std::int64_t group = 1;  ///< query heads a KV head
  sample::Batch batch;
};
[[nodiscard]] std::vector<KvCase> kv_cases();

/// How far a cache's rows may be off when a row of the same values is written: see KvAppend::tolerance.
[[nodiscard]] Tolerance cache_tolerance(const CacheSpec& spec);

}  // namespace weft
