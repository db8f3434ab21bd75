// From logits to the next token: penalties, top-k, top-p, min-p, temperature, then one draw.
#include "models/sampler/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "models/sampler/philox.hpp"

namespace weft::models {
namespace {

Status check(const SamplerParams& p) {
  const auto wrong = [](std::string_view name, auto found, std::string_view wanted) {
    return fail(ErrorCode::invalid_argument, "sampler: {} is {}, wanted {}", name, found, wanted);
  };
  if (!std::isfinite(p.temperature)) return wrong("temperature", p.temperature, "a finite number");
  if (p.top_k < 0) return wrong("top_k", p.top_k, "0 (off) or more");
  if (!(p.top_p > 0.0F && p.top_p <= 1.0F)) return wrong("top_p", p.top_p, "above 0, up to 1 (off)");
  if (!(p.min_p >= 0.0F && p.min_p <= 1.0F)) return wrong("min_p", p.min_p, "0 (off) to 1");
  if (!(p.repeat_penalty > 0.0F && std::isfinite(p.repeat_penalty))) {
    return wrong("repeat_penalty", p.repeat_penalty, "a finite number above 0 (1: off)");
  }
  if (p.repeat_last_n < 0) return wrong("repeat_last_n", p.repeat_last_n, "0 (off) or more");
  return {};
}

}  // namespace

Result<Sampler> Sampler::make(const SamplerParams& params) {
  if (const Status status = check(params); !status) return error_of(status);
  return Sampler(params);
}

void Sampler::accept(TokenId token) {
  const auto capacity = static_cast<std::size_t>(params_.repeat_last_n);
  if (capacity == 0 || params_.repeat_penalty == 1.0F) return;
  if (window_.size() < capacity) {
    window_.push_back(token);
    return;
  }
  window_[window_next_] = token;
  window_next_ = (window_next_ + 1) % capacity;
}

Result<TokenId> Sampler::sample(std::span<const float> logits) {
  if (const Status status = top_.scan(penalised(logits)); !status) return error_of(status);
  if (params_.temperature <= 0.0F) return top_.best().id;
  const auto top_k = static_cast<std::size_t>(params_.top_k);
  candidates_.reserve(logits.size());
  weights_.reserve(top_k == 0 ? logits.size() : std::min(top_k, logits.size()));
  top_.select(top_k, candidates_);
  sorted_ = 0;
  if (top_k > 0) sort_until(candidates_.size());
  keep_top_p();
  keep_min_p();
  return draw();
}

void Sampler::sort_until(std::size_t count) {
  const auto at = [this](std::size_t index) { return candidates_.begin() + static_cast<std::ptrdiff_t>(index); };
  count = std::min(count, candidates_.size());
  if (count <= sorted_) return;
  if (count < candidates_.size()) std::nth_element(at(sorted_), at(count), candidates_.end(), ranks_before);
  std::sort(at(sorted_), at(count), ranks_before);
  sorted_ = count;
}

void Sampler::keep_top_p() {
  if (params_.top_p >= 1.0F) return;
  const double best = top_.best().logit;
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += std::exp(candidate.logit - best);
  const double wanted = params_.top_p * total;
  double sum = 0.0;
  std::size_t kept = 0;
  while (kept < candidates_.size() && sum < wanted) {
    if (kept == sorted_) sort_until(std::max<std::size_t>(256, 4 * sorted_));
    sum += std::exp(candidates_[kept++].logit - best);
  }
  candidates_.resize(kept);
}

void Sampler::keep_min_p() {
  if (params_.min_p <= 0.0F) return;
  const double least = top_.best().logit + std::log(static_cast<double>(params_.min_p));
  std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.logit < least; });
}

TokenId Sampler::draw() {
  const double best = top_.best().logit;
  const double temperature = params_.temperature;
  weights_.clear();
  double total = 0.0;
  for (const Candidate& candidate : candidates_) {
    weights_.push_back(std::exp((candidate.logit - best) / temperature));
    total += weights_.back();
  }
  double left = uniform(params_.seed, draws_++) * total;
  std::size_t last = 0;  // rounding can leave a little of `left`: then the last possible one is meant
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (weights_[i] == 0.0) continue;
    last = i;
    if (left < weights_[i]) break;
    left -= weights_[i];
  }
  return candidates_[last].id;
}

std::span<const float> Sampler::penalised(std::span<const float> logits) {
  if (window_.empty()) return logits;
  penalised_.assign(logits.begin(), logits.end());
  distinct_ = window_;
  std::sort(distinct_.begin(), distinct_.end());
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  for (const TokenId token : distinct_) {
    if (token < 0 || static_cast<std::size_t>(token) >= penalised_.size()) continue;
    float& logit = penalised_[token];
    logit = logit <= 0.0F ? logit * params_.repeat_penalty : logit / params_.repeat_penalty;
  }
  return penalised_;
}

}  // namespace weft::models
