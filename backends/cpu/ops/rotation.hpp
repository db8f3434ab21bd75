// Rotation of heads, shared by every op that rotates: one pair of cosine and sine rows a token serves all its heads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/loops/loops.hpp"
#include "core/rope_spec.hpp"

namespace weft::cpu {

/// Immutable tables of one RopeSpec. Angles are added in double: position = 4096 a + 64 b + c.
class Rotation {
 public:
  /// `divisors` is the index of that input; its values are read at run time.
  Rotation(const RopeSpec& spec, std::optional<std::size_t> divisors);

  [[nodiscard]] bool any() const { return pairs_ > 0; }
  /// f32 numbers that terms() fills.
  [[nodiscard]] std::int64_t term_count() const { return 2 * pairs_; }
  /// Cosines, then sines, of a position's pairs, times the magnitude.
  void terms(const StepContext& context, std::int32_t position, float* out) const;
  /// Rotates one head in place.
  void apply(const Loops& loops, const float* terms, float* head) const;

 private:
  struct Turn {
    double cosine = 1;
    double sine = 0;
  };
  [[nodiscard]] Turn turn(std::int32_t position, std::int64_t pair) const;

  RopeSpec spec_;
  std::int64_t pairs_ = 0;
  std::vector<double> frequencies_;
  std::vector<Turn> low_;     ///< [64][pairs]: positions 0 … 63
  std::vector<Turn> middle_;  ///< [64][pairs]: multiples of 64
  std::optional<std::size_t> divisors_;
};

}  // namespace weft::cpu
