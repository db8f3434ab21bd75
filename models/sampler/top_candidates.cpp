// The largest of very many logits, without sorting them all: one vectorised pass takes the largest of each block of
// 256; the k-th largest of those bounds the k-th largest of all, so few blocks are looked into.
#include "models/sampler/top_candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace weft::models {
namespace {

constexpr std::size_t block = 256;

/// An integer that is ordered as the floats are: -NaN < -Inf < … < -0 < +0 < … < +Inf < NaN.
inline std::int32_t key_of(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

const std::int32_t minus_infinity = key_of(-std::numeric_limits<float>::infinity());
const std::int32_t plus_infinity = key_of(std::numeric_limits<float>::infinity());

struct Range {
  std::int32_t low = std::numeric_limits<std::int32_t>::max();
  std::int32_t high = std::numeric_limits<std::int32_t>::min();
};

Range range_of(std::span<const float> values) {
  Range range;
  for (const float value : values) {
    const std::int32_t key = key_of(value);
    range.low = std::min(range.low, key);
    range.high = std::max(range.high, key);
  }
  return range;
}

tl::unexpected<Error> non_finite(std::span<const float> logits) {
  const auto bad = std::find_if(logits.begin(), logits.end(),
                                [](float x) { return std::isnan(x) || x == std::numeric_limits<float>::infinity(); });
  return fail(ErrorCode::non_finite, "sampling: the logit of token {} of {} is {}, wanted a finite number or -inf",
              bad - logits.begin(), logits.size(), *bad);
}

}  // namespace

Status TopCandidates::scan(std::span<const float> logits) {
  logits_ = logits;
  block_max_.clear();
  Range all;
  for (std::size_t begin = 0; begin < logits.size(); begin += block) {
    const Range range = range_of(logits.subspan(begin, std::min(block, logits.size() - begin)));
    block_max_.push_back(range.high);
    all.low = std::min(all.low, range.low);
    all.high = std::max(all.high, range.high);
  }
  if (logits.empty()) return fail(ErrorCode::invalid_argument, "sampling: no candidate left: no logits at all");
  if (all.high >= plus_infinity || all.low < minus_infinity) return non_finite(logits);
  if (all.high == minus_infinity) {
    return fail(ErrorCode::invalid_argument,
                "sampling: no candidate left: all {} logits are -inf (every token is banned)", logits.size());
  }
  return {};
}

Candidate TopCandidates::best() const {
  // Equal floats can differ as keys (-0 and +0), so blocks are compared as floats would be.
  const std::int32_t high = *std::max_element(block_max_.begin(), block_max_.end());
  const std::int32_t least = high == key_of(0.0F) ? key_of(-0.0F) : high;
  const auto first = std::find_if(block_max_.begin(), block_max_.end(), [&](std::int32_t key) { return key >= least; });
  const std::size_t begin = static_cast<std::size_t>(first - block_max_.begin()) * block;
  const auto values = logits_.subspan(begin, std::min(block, logits_.size() - begin));
  const auto found = std::max_element(values.begin(), values.end());
  return {*found, static_cast<TokenId>(begin + static_cast<std::size_t>(found - values.begin()))};
}

std::int32_t TopCandidates::bound_of(std::size_t count) {
  if (count == 0 || count > block_max_.size()) return minus_infinity + 1;
  scratch_ = block_max_;
  const auto kth = scratch_.begin() + static_cast<std::ptrdiff_t>(count - 1);
  std::nth_element(scratch_.begin(), kth, scratch_.end(), std::greater<>());
  const std::int32_t bound = *kth == key_of(0.0F) ? key_of(-0.0F) : *kth;
  return std::max(bound, minus_infinity + 1);
}

void TopCandidates::select(std::size_t count, std::vector<Candidate>& out) {
  out.clear();
  const std::int32_t bound = bound_of(count);
  for (std::size_t index = 0; index < block_max_.size(); ++index) {
    if (block_max_[index] < bound) continue;
    const std::size_t end = std::min(logits_.size(), (index + 1) * block);
    for (std::size_t id = index * block; id < end; ++id) {
      if (key_of(logits_[id]) >= bound) out.push_back({logits_[id], static_cast<TokenId>(id)});
    }
  }
  if (count == 0 || out.size() <= count) return;
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), ranks_before);
  out.resize(count);
}

}  // namespace weft::models
