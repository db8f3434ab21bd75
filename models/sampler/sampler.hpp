// From logits to the next token: penalties, top-k, top-p, min-p, temperature, then one draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "models/sampler/top_candidates.hpp"
#include "models/tokenizer/tokenizer.hpp"

namespace weft::models {

struct SamplerParams {
  float temperature = 0.8F;         ///< 0 or less: always the most likely token
  std::int32_t top_k = 40;          ///< the k most likely tokens; 0: off
  float top_p = 0.95F;              ///< the shortest list of most likely tokens whose probabilities reach p; 1: off
  float min_p = 0.05F;              ///< tokens at least this likely, relative to the most likely one; 0: off
  float repeat_penalty = 1.0F;      ///< divides positive and multiplies other logits of recent tokens; 1: off
  std::int32_t repeat_last_n = 64;  ///< how many recent tokens, the prompt's included; 0: off
  std::uint64_t seed = 0;
};

/// The chain, in this order: penalties (each recent token once), top-k, top-p, min-p, temperature, draw. Every filter
/// keeps at least one token; equal logits rank by id. At temperature ≤ 0 the filters can't change the result, so only
/// penalties apply. Draw number n of a seed is the same on every machine (Philox), one draw a token.
/// No allocation after the first call with a vocabulary's size. One thread at a time.
class Sampler {
 public:
  /// Errors: invalid_argument (names the parameter, found, wanted).
  [[nodiscard]] static Result<Sampler> make(const SamplerParams& params);

  /// The next token's id. Nothing changes on error. Errors: non_finite (a logit is NaN or +Inf), invalid_argument ("no
  /// candidate left": all logits are -Inf).
  [[nodiscard]] Result<TokenId> sample(std::span<const float> logits);
  /// Puts a token of prompt or answer into the penalties' window.
  void accept(TokenId token);

  [[nodiscard]] const SamplerParams& params() const { return params_; }

 private:
  explicit Sampler(const SamplerParams& params) : params_(params) {}

  [[nodiscard]] std::span<const float> penalised(std::span<const float> logits);
  void sort_until(std::size_t count);
  void keep_top_p();
  void keep_min_p();
  [[nodiscard]] TokenId draw();

  SamplerParams params_;
  std::uint64_t draws_ = 0;
  std::vector<TokenId> window_;  ///< ring of the last repeat_last_n tokens
  std::size_t window_next_ = 0;
  std::vector<TokenId> distinct_;      ///< scratch
  std::vector<float> penalised_;       ///< scratch
  std::vector<Candidate> candidates_;  ///< scratch: the first sorted_ are the best, best first
  std::size_t sorted_ = 0;
  std::vector<double> weights_;  ///< scratch
  TopCandidates top_;
};

}  // namespace weft::models
