// Operands that matmuls with weights should meet.
#include "core/ops/matmul_samples.hpp"

#include <algorithm>

#include "core/ops/sample_inputs.hpp"

namespace weft {
namespace {

using sample::absent;
using sample::constant;
using sample::normal;

constexpr float weight_scale = 0.05F;

SampleInput random_weight(DType type, std::int64_t n, std::int64_t k) { return normal(type, {n, k}, weight_scale); }

void add_sizes(std::vector<MatmulCase>& cases, DType weight) {
  struct Size {
    std::int64_t tokens, n, blocks;
  };
  // Tokens and outputs around 4, 8, 16, 32 and 64, as tiles have them.
  constexpr std::array sizes{Size{1, 1, 1},  Size{1, 17, 3}, Size{1, 63, 2}, Size{1, 64, 4}, Size{1, 65, 1},
                             Size{2, 31, 2}, Size{3, 33, 3}, Size{7, 16, 1}, Size{8, 15, 2}, Size{9, 8, 5},
                             Size{0, 5, 1},  Size{16, 4, 1}, Size{31, 3, 1}, Size{33, 5, 2}, Size{65, 67, 1}};
  for (const Size& s : sizes) {
    const std::int64_t k = s.blocks * smallest_k(weight);
    const DType x = s.n % 2 == 0 ? DType::f16 : DType::f32;
    cases.push_back({fmt::format("{} {} x [{}, {}] n {}", name_of(weight), name_of(x), s.tokens, k, s.n),
                     normal(x, {s.tokens, k}), random_weight(weight, s.n, k),
                     s.n % 3 == 0 ? normal(DType::f32, {s.n}) : absent()});
  }
}

void add_model_sizes(std::vector<MatmulCase>& cases, DType weight) {
  struct Size {
    std::int64_t tokens, n, k;
  };
  // Widths of SmolLM2 135M, Gemma 3 270M and Qwen2.5 0.5B; fewer outputs than the models have.
  for (const Size& s : {Size{1, 192, 576}, Size{5, 64, 576}, Size{1, 96, 1536}, Size{1, 128, 640}, Size{3, 64, 2048},
                        Size{1, 128, 896}, Size{2, 40, 4864}}) {
    if (s.k % info(weight).block_elements != 0) continue;
    cases.push_back({fmt::format("{} model width {} tokens {}", name_of(weight), s.k, s.tokens),
                     normal(DType::f32, {s.tokens, s.k}), random_weight(weight, s.n, s.k), absent()});
  }
}

void add_values(std::vector<MatmulCase>& cases, DType weight) {
  const std::int64_t k = 2 * smallest_k(weight);
  const std::string type(name_of(weight));
  cases.push_back({type + " outliers in x", sample::values(DType::f32, {2, k}, sample::with_outliers(2 * k)),
                   random_weight(weight, 19, k), absent()});
  cases.push_back({type + " large x", normal(DType::f32, {2, k}, 3000.0F), random_weight(weight, 19, k), absent()});
  cases.push_back({type + " tiny x", normal(DType::f32, {2, k}, 1e-20F), random_weight(weight, 19, k), absent()});
  cases.push_back(
      {type + " zero x", constant(DType::f32, {3, k}, 0.0F), random_weight(weight, 5, k), normal(DType::f32, {5})});
  cases.push_back(
      {type + " strided x", sample::strided(DType::f32, {5, k}, 24), random_weight(weight, 13, k), absent()});
  cases.push_back({type + " strided w", normal(DType::f32, {3, k}),
                   sample::strided(weight, {9, k}, info(weight).block_elements, weight_scale), absent()});
}

/// Like-signed activations whose block sum is beyond f16 (65504), for the formats with minima, whose kernels need sums.
void add_large_block_sums(std::vector<MatmulCase>& cases) {
  for (const DType weight : {DType::q4_1, DType::q5_1, DType::q4_k, DType::q5_k}) {
    for (const float value : {2046.0F, 2047.0F, 2048.0F, 3000.0F, -3000.0F}) {
      for (const std::int64_t tokens : {1, 8, 33}) {
        const std::int64_t k = smallest_k(weight) == 32 ? 576 : 512;
        cases.push_back({fmt::format("{} x all {} tokens {}", name_of(weight), value, tokens),
                         constant(DType::f32, {tokens, k}, value), random_weight(weight, 3, k), absent()});
      }
    }
  }
}

void add_raw(std::vector<MatmulCase>& cases, DType weight, const std::string& name,
             const std::vector<std::uint8_t>& block, const std::vector<float>& pattern, std::int64_t k) {
  for (const std::int64_t tokens : {1, 2, 8, 33}) {
    std::vector<float> x(static_cast<std::size_t>(tokens * k));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = pattern[i % pattern.size()];
    SampleInput w{TensorDesc::dense(weight, {3, k}), Fill::blocks(block)};
    cases.push_back({fmt::format("{} tokens {}", name, tokens), sample::values(DType::f32, {tokens, k}, std::move(x)),
                     std::move(w), absent()});
  }
}

std::vector<std::uint8_t> block_of(std::vector<std::uint8_t> head, std::size_t count, std::uint8_t code) {
  head.insert(head.end(), count, code);
  return head;
}

/// 255 * 127 * 2 is beyond 16 bits: pair sums of 8-bit products must not saturate, and 0x80 has no positive twin.
void add_saturating(std::vector<MatmulCase>& cases) {
  const auto high = block_of({0x00, 0x3C}, 32, 0x7F);
  const auto low = block_of({0x00, 0x3C}, 32, 0x80);
  add_raw(cases, DType::q8_0, "q8_0 all 0x7F, x all 1", high, {1}, 64);
  add_raw(cases, DType::q8_0, "q8_0 all 0x80, x all -1", low, {-1}, 64);
  add_raw(cases, DType::q8_0, "q8_0 all 0x7F, x alternating", high, {1, -1}, 64);
  add_raw(cases, DType::q8_0, "q8_0 all 0x80, x alternating", low, {-1, 1}, 64);
  std::vector<std::uint8_t> q6(192, 0xFF);  // codes 63: 31 after the offset
  q6.insert(q6.end(), 16, 0x7F);
  q6.insert(q6.end(), {0x00, 0x3C});
  add_raw(cases, DType::q6_k, "q6_k largest codes and scales, x all 1", q6, {1}, 256);
  std::vector<std::uint8_t> negative(192, 0x00);  // codes 0: -32 after the offset
  negative.insert(negative.end(), 16, 0x80);
  negative.insert(negative.end(), {0x00, 0x3C});
  add_raw(cases, DType::q6_k, "q6_k smallest codes and scales, x all -1", negative, {-1}, 256);
}

/// d is a subnormal f16 (0x0201), which isn't zero: a conversion that flushes it makes zeros of the block.
void add_subnormal_scales(std::vector<MatmulCase>& cases) {
  add_raw(cases, DType::q8_0, "q8_0 subnormal scale", block_of({0x01, 0x02}, 32, 0x11), {1000, -3, 7}, 64);
  add_raw(cases, DType::q4_0, "q4_0 subnormal scale", block_of({0x01, 0x02}, 16, 0x2F), {1000, -3, 7}, 64);
}

/// d = 1/64, m = -1/8, q = 9: every weight is 1/64, and the block sum of 32 x is 2047 times 32 or more.
void add_exact_block_sums(std::vector<MatmulCase>& cases) {
  const auto block = block_of({0x00, 0x24, 0x00, 0xB0}, 16, 0x99);
  for (const float value : {2046.0F, 2047.0F, 2048.0F, 3000.0F, -3000.0F}) {
    for (const std::int64_t k : {32, 576}) {
      add_raw(cases, DType::q4_1, fmt::format("q4_1 weights 1/64, k {}, x all {}", k, value), block, {value}, k);
    }
  }
}

}  // namespace

std::int64_t smallest_k(DType weight) { return std::max<std::int64_t>(info(weight).block_elements, 32); }

std::vector<MatmulCase> matmul_cases() {
  std::vector<MatmulCase> cases;
  for (const DType weight : weight_types()) {
    add_sizes(cases, weight);
    add_model_sizes(cases, weight);
    add_values(cases, weight);
  }
  for (const DType weight : {DType::f32, DType::f16, DType::bf16}) {
    for (const std::int64_t k : {1, 7, 33, 63}) {
      cases.push_back({fmt::format("{} k {}", name_of(weight), k), normal(DType::f32, {3, k}),
                       random_weight(weight, 5, k), absent()});
    }
  }
  cases.push_back({"f32 denormal x", sample::values(DType::f32, {1, 64}, sample::denormals(64)),
                   random_weight(DType::f32, 7, 64), absent()});
  add_large_block_sums(cases);
  add_exact_block_sums(cases);
  add_subnormal_scales(cases);
  add_saturating(cases);
  return cases;
}

std::vector<MatmulCase> short_matmul_cases() {
  std::vector<MatmulCase> cases;
  for (const DType weight : weight_types()) {
    const std::int64_t k = 2 * smallest_k(weight);
    for (const std::int64_t tokens : {1, 5, 33}) {
      const DType x = tokens == 5 ? DType::f16 : DType::f32;
      cases.push_back({fmt::format("{} {} x [{}, {}] n 65", name_of(weight), name_of(x), tokens, k),
                       normal(x, {tokens, k}), random_weight(weight, 65, k),
                       tokens == 5 ? normal(DType::f32, {65}) : absent()});
    }
  }
  for (const std::int64_t k : {576, 896}) {
    cases.push_back({fmt::format("q4_0 model width {}", k), normal(DType::f32, {1, k}),
                     random_weight(DType::q4_0, 96, k), absent()});
  }
  cases.push_back({"q8_0 no tokens", normal(DType::f32, {0, 64}), random_weight(DType::q8_0, 7, 64), absent()});
  cases.push_back(
      {"q8_0 strided x", sample::strided(DType::f32, {5, 64}, 24), random_weight(DType::q8_0, 31, 64), absent()});
  return cases;
}

}  // namespace weft
