// Caches and ragged batches.
#include "core/ops/kv_samples.hpp"

#include <algorithm>

namespace weft {
namespace {

struct NamedBatch {
  std::string_view name;
  std::vector<sample::BatchEntry> entries;
};

std::vector<NamedBatch> batches() {
  return {{"first token", {{0, 1}}},
          {"decode at 37", {{37, 1}}},
          {"prefill of 17", {{0, 17}}},
          {"chunk of 9 after 24", {{24, 9}}},
          {"ragged with an empty sequence", {{3, 5}, {9, 0}, {0, 2}, {30, 1}}},
          {"no tokens", {{4, 0}}}};
}

CacheSpec spec_of(DType type, std::int64_t kv_heads, std::int64_t d) {
  return {.k_type = type, .v_type = type, .kv_heads = kv_heads, .dk = d, .dv = d};
}

}  // namespace

std::vector<KvCase> kv_cases() {
  std::vector<KvCase> cases;
  for (const NamedBatch& b : batches()) {
    for (const DType type : {DType::f32, DType::f16, DType::q8_0}) {
      const DType activation = type == DType::f16 ? DType::f16 : DType::f32;
      cases.push_back({fmt::format("{} cache, {}", name_of(type), b.name), spec_of(type, 2, 64), activation, 3,
                       sample::batch(b.entries)});
    }
  }
  for (const std::int64_t d : {64, 80, 96, 128, 256}) {
    for (const DType type : {DType::f32, DType::f16}) {
      cases.push_back({fmt::format("{} cache, d {}", name_of(type), d), spec_of(type, 1, d), DType::f32, 4,
                       sample::batch({{12, 3}})});
    }
  }
  for (std::int64_t group = 1; group <= 8; ++group) {
    cases.push_back({fmt::format("{} query heads a KV head", group), spec_of(DType::f16, 2, 64), DType::f32, group,
                     sample::batch({{11, 2}})});
  }
  cases.push_back({"q4_0 keys and values", spec_of(DType::q4_0, 2, 64), DType::f32, 2, sample::batch({{7, 3}})});
  cases.push_back({"bf16 keys and values", spec_of(DType::bf16, 2, 64), DType::f32, 2, sample::batch({{7, 3}})});
  cases.push_back({"q8_0 keys, f16 values of another width",
                   {.k_type = DType::q8_0, .v_type = DType::f16, .kv_heads = 1, .dk = 192, .dv = 128},
                   DType::f32,
                   5,
                   sample::batch({{20, 2}})});
  return cases;
}

Tolerance cache_tolerance(const CacheSpec& spec) {
  double step = 0;
  for (const DType type : {spec.k_type, spec.v_type}) {
    if (type == DType::q8_0) step = std::max(step, 1.0 / 127);
    if (type == DType::q4_0) step = std::max(step, 1.0 / 7);
  }
  constexpr double largest_sample = 6;  // deviations of a normal sample
  return {.relative = 0x1p-10 * (step > 0 ? 1 : 0), .absolute = step * largest_sample};
}

}  // namespace weft
