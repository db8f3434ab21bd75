// Frequencies of rotary embeddings, in double.
#include "core/rope_spec.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft {
namespace {

/// Between these pairs YaRN goes over from keeping a frequency to dividing it by the factor.
struct Ramp {
  double low = 0;
  double high = 0;
  [[nodiscard]] double at(double pair) const {
    return std::clamp((pair - low) / std::max(high - low, 0.001), 0.0, 1.0);
  }
};

/// The pair that turns `rotations` times within the original context.
double pair_of_rotations(const RopeSpec& spec, double rotations) {
  const auto context = static_cast<double>(spec.yarn.original_context);
  return static_cast<double>(spec.frequency_dims) * std::log(context / (rotations * 2 * std::numbers::pi)) /
         (2 * std::log(static_cast<double>(spec.theta)));
}

Ramp yarn_ramp(const RopeSpec& spec) {
  Ramp ramp{pair_of_rotations(spec, spec.yarn.beta_fast), pair_of_rotations(spec, spec.yarn.beta_slow)};
  if (spec.yarn.truncate) ramp = {std::floor(ramp.low), std::ceil(ramp.high)};
  const auto last = static_cast<double>(spec.frequency_dims - 1);
  return {std::clamp(ramp.low, 0.0, last), std::clamp(ramp.high, 0.0, last)};
}

}  // namespace

std::vector<double> rope_frequencies(const RopeSpec& spec, std::span<const float> divisors) {
  std::vector<double> frequencies(static_cast<std::size_t>(spec.rotated / 2));
  const bool yarn = spec.yarn.factor != 1.0F;
  const Ramp ramp = yarn ? yarn_ramp(spec) : Ramp{};
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const auto pair = static_cast<double>(j);
    double f = std::pow(static_cast<double>(spec.theta), -2 * pair / static_cast<double>(spec.frequency_dims));
    f /= spec.linear_factor;
    if (!divisors.empty()) f /= divisors[j];
    if (yarn) {
      const double r = ramp.at(pair);
      f = f / spec.yarn.factor * r + f * (1 - r);
    }
    frequencies[j] = f;
  }
  return frequencies;
}

}  // namespace weft
