// Operands of the ops on the KV cache.
#include "core/ops/kv_operands.hpp"

#include "core/ops/rows.hpp"

namespace weft {
namespace {

void check_plane(OperandChecks& check, std::string_view name, DType type, std::int64_t width) {
  const bool known = is_float(type) || type == DType::q8_0 || type == DType::q4_0;
  check.that(known, fmt::format("cache {}_type", name), name_of(type), "f32, f16, bf16, q8_0 or q4_0");
  const std::int64_t block = info(type).block_elements;
  check.that(width > 0 && width % block == 0, fmt::format("cache d{}", name), fmt::format("{}", width),
             fmt::format("a positive multiple of {}'s block of {}", name_of(type), block));
}

}  // namespace

void check_cache_spec(OperandChecks& check, const CacheSpec& spec) {
  check.that(spec.kv_heads > 0, "cache kv_heads", fmt::format("{}", spec.kv_heads), "at least 1");
  check_plane(check, "k", spec.k_type, spec.dk);
  check_plane(check, "v", spec.v_type, spec.dv);
}

void check_batch(OperandChecks& check, const BatchPorts& ports, Dim tokens) {
  check.integers(ports.positions, tokens).integers(ports.sequences, tokens);
  check.type(ports.kv_table, DType::i32).shape(ports.kv_table, {check.dim(ports.kv_table, 0), Dim(1)});
  check.type(ports.cache, DType::state).rank(ports.cache, 1);
}

void set_cache_facts(Facts& facts, const CacheSpec& spec) {
  facts.set("kv.layout", name_of(spec.layout));
  facts.set("kv.k_type", name_of(spec.k_type));
  facts.set("kv.v_type", name_of(spec.v_type));
  facts.set("kv_heads", spec.kv_heads);
  facts.set("dk", spec.dk);
  facts.set("dv", spec.dv);
}

std::vector<std::int64_t> cache_row_of_tokens(const ConstHostView& positions, const ConstHostView& sequences,
                                              const ConstHostView& kv_table) {
  const std::vector<std::int32_t> p = read_integers(positions);
  const std::vector<std::int32_t> s = read_integers(sequences);
  const std::vector<std::int32_t> first = read_integers(kv_table);
  std::vector<std::int64_t> rows(p.size());
  for (std::size_t t = 0; t < p.size(); ++t) {
    rows[t] = std::int64_t{first[static_cast<std::size_t>(s[t])]} + p[t];
  }
  return rows;
}

}  // namespace weft
