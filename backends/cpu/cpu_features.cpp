// CPUID and XGETBV.
#include "backends/cpu/cpu_features.hpp"

#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace weft::cpu {
namespace {

struct Leaf {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
};

Leaf leaf(std::uint32_t number, std::uint32_t sub) {
  Leaf l;
  if (__get_cpuid_count(number, sub, &l.a, &l.b, &l.c, &l.d) == 0) return {};
  return l;
}

bool bit(std::uint32_t word, int index) { return ((word >> index) & 1U) != 0; }

/// Which register sets the system saves (XCR0); 0 where it saves none beyond the oldest.
std::uint64_t saved_registers() {
  if (!bit(leaf(1, 0).c, 27)) return 0;  // OSXSAVE
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

bool all_bits(std::uint64_t word, std::uint64_t wanted) { return (word & wanted) == wanted; }

}  // namespace

std::vector<std::string> detect_features() {
  constexpr std::uint64_t ymm = 0x6;
  constexpr std::uint64_t zmm = 0xE6;
  constexpr std::uint64_t tiles = 0x60000;
  const std::uint64_t saved = saved_registers();
  const Leaf basic = leaf(1, 0);
  const Leaf extended = leaf(7, 0);
  const Leaf more = leaf(7, 1);
  std::vector<std::string> found;
  const auto add = [&](bool usable, const char* name) {
    if (usable) found.emplace_back(name);
  };
  const bool avx = all_bits(saved, ymm) && bit(basic.c, 28);
  const bool avx2 = avx && bit(extended.b, 5);
  add(avx2, "avx2");
  add(avx && bit(basic.c, 12), "fma");
  add(avx && bit(basic.c, 29), "f16c");
  add(avx2 && bit(more.a, 4), "avx_vnni");
  const bool avx512 = avx2 && all_bits(saved, zmm) && bit(extended.b, 16) && bit(extended.b, 17) &&
                      bit(extended.b, 30) && bit(extended.b, 31);
  add(avx512, "avx512");
  add(avx512 && bit(extended.c, 11), "avx512_vnni");
  add(avx512 && bit(extended.c, 1), "avx512_vbmi");
  add(avx512 && bit(more.a, 5), "avx512_bf16");
  add(avx512 && bit(extended.d, 23), "avx512_fp16");
  const bool amx = all_bits(saved, tiles) && bit(extended.d, 24);
  add(amx && bit(extended.d, 25), "amx_int8");
  add(amx && bit(extended.d, 22), "amx_bf16");
  return found;
}

bool has_feature(const std::vector<std::string>& features, std::string_view name) {
  return std::find(features.begin(), features.end(), name) != features.end();
}

Result<std::vector<std::string>> features_for(std::string_view isa, std::vector<std::string> detected) {
  const auto lacks = [&](std::initializer_list<std::string_view> wanted) {
    return std::any_of(wanted.begin(), wanted.end(), [&](std::string_view f) { return !has_feature(detected, f); });
  };
  const auto unsupported = [&](std::string_view wanted) {
    return fail(ErrorCode::unsupported, "cpu: isa {} was asked for, but this processor or system lacks {}", isa,
                wanted);
  };
  if (isa.empty()) return detected;
  if (isa == "portable") return std::vector<std::string>{};
  if (isa == "avx2") {
    if (lacks({"avx2", "fma", "f16c"})) return unsupported("avx2, fma or f16c");
    return std::vector<std::string>{"avx2", "fma", "f16c"};
  }
  if (isa == "avx512") {
    if (lacks({"avx512"})) return unsupported("avx512 (f, bw, vl, dq)");
    std::erase_if(detected, [](const std::string& f) { return f.starts_with("amx"); });
    return detected;
  }
  return fail(ErrorCode::invalid_argument, "cpu: there is no isa \"{}\"; known are avx512, avx2, portable", isa);
}

std::string processor_name() {
  std::array<char, 49> name{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Leaf l = leaf(0x80000002U + i, 0);
    std::memcpy(name.data() + 16 * i, &l, sizeof l);
  }
  const std::string_view text(name.data());
  return text.empty() ? "unknown processor" : std::string(text);
}

void relax() { __builtin_ia32_pause(); }

}  // namespace weft::cpu
