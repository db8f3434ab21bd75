// What a rotary embedding does to a head: which pairs rotate, and by which frequencies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

enum class RopePairing : std::uint8_t {
  halves,       ///< pair j = (j, j + pair_offset): NeoX, Hugging Face
  interleaved,  ///< pair j = (2j, 2j + 1): llama in GGUF
};

/// Corrections of frequencies for contexts longer than trained. Peng et al., YaRN, 2023.
struct YarnScaling {
  float factor = 1.0F;  ///< 1 = off
  std::int64_t original_context = 0;
  float beta_fast = 32.0F;
  float beta_slow = 1.0F;
  bool truncate = true;  ///< the ramp's ends are rounded outwards to whole pairs
  friend bool operator==(const YarnScaling&, const YarnScaling&) = default;
};

/// Pair j of `rotated / 2` pairs turns by position * frequency(j), frequency(j) = theta^(-2j / frequency_dims) /
/// linear_factor / divisors[j], corrected by YaRN where its factor isn't 1; cos and sin are multiplied by `magnitude`.
struct RopeSpec {
  RopePairing pairing = RopePairing::halves;
  std::int64_t rotated = 0;         ///< elements that take part, even; 0 = no rotation at all
  std::int64_t pair_offset = 0;     ///< distance of a pair's elements in `halves`: rotated / 2, or d / 2 (proportional)
  std::int64_t frequency_dims = 0;  ///< divisor of the exponent: rotated, or d (proportional)
  float theta = 10000.0F;
  float linear_factor = 1.0F;
  float magnitude = 1.0F;
  YarnScaling yarn;
  friend bool operator==(const RopeSpec&, const RopeSpec&) = default;

  /// The usual case: the first `rotated` elements of a head, own exponent divisor and half distance.
  [[nodiscard]] static RopeSpec plain(RopePairing pairing, std::int64_t rotated, float theta) {
    RopeSpec spec;
    spec.pairing = pairing;
    spec.rotated = rotated;
    spec.pair_offset = rotated / 2;
    spec.frequency_dims = rotated;
    spec.theta = theta;
    return spec;
  }
};

/// Radians per position of each of the rotated / 2 pairs, in double. `divisors` is empty or has one entry a pair.
[[nodiscard]] std::vector<double> rope_frequencies(const RopeSpec& spec, std::span<const float> divisors);

/// Elements of pair j.
struct RopePair {
  std::int64_t first = 0;
  std::int64_t second = 0;
};
[[nodiscard]] inline RopePair rope_pair(const RopeSpec& spec, std::int64_t j) {
  if (spec.pairing == RopePairing::interleaved) return {2 * j, 2 * j + 1};
  return {j, j + spec.pair_offset};
}

}  // namespace weft
