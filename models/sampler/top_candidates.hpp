// The largest of very many logits, without sorting them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

struct Candidate {
  float logit = 0.0F;
  TokenId id = 0;
};

/// Descending logits; of equal logits the lower id first.
[[nodiscard]] constexpr bool ranks_before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/// Keeps its memory between calls. Not thread-safe.
class TopCandidates {
 public:
  /// Looks at all logits once. Errors: invalid_argument (none, or all are -Inf: "no candidate left"), non_finite (NaN
  /// or +Inf, naming the first such id). The span must stay valid until `select`.
  [[nodiscard]] Status scan(std::span<const float> logits);
  /// The largest of the scanned logits, the lowest id of several.
  [[nodiscard]] Candidate best() const;
  /// Replaces `out` by the `count` largest logits above -Inf, in no order; 0 means all, by ascending id.
  void select(std::size_t count, std::vector<Candidate>& out);

 private:
  [[nodiscard]] std::int32_t bound_of(std::size_t count);

  std::span<const float> logits_;
  std::vector<std::int32_t> block_max_;  ///< largest key of each block
  std::vector<std::int32_t> scratch_;
};

}  // namespace weft::models
