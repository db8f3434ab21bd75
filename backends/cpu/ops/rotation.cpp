// Tables of angles in double, and the rotation of a head by one of them.
#include "backends/cpu/ops/rotation.hpp"

#include <cmath>

namespace weft::cpu {
namespace {

constexpr std::int32_t steps = 64;

}  // namespace

Rotation::Rotation(const RopeSpec& spec, std::optional<std::size_t> divisors)
    : spec_(spec), pairs_(spec.rotated / 2), divisors_(divisors) {
  if (pairs_ == 0) return;
  frequencies_ = rope_frequencies(spec, {});
  if (divisors_) return;
  for (std::int32_t i = 0; i < steps; ++i) {
    for (const double f : frequencies_) {
      low_.push_back({std::cos(i * f), std::sin(i * f)});
      middle_.push_back({std::cos(steps * i * f), std::sin(steps * i * f)});
    }
  }
}

Rotation::Turn Rotation::turn(std::int32_t position, std::int64_t pair) const {
  const Turn& a = low_[static_cast<std::size_t>(position % steps * pairs_ + pair)];
  const Turn& b = middle_[static_cast<std::size_t>(position / steps % steps * pairs_ + pair)];
  return {a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine};
}

void Rotation::terms(const StepContext& context, std::int32_t position, float* out) const {
  const double magnitude = spec_.magnitude;
  const auto* divisors = divisors_ ? reinterpret_cast<const float*>(context.inputs[*divisors_]) : nullptr;
  const std::int32_t far = position / (steps * steps) * (steps * steps);
  for (std::int64_t j = 0; j < pairs_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    Turn t;
    if (divisors_) {
      const double angle = position * (frequencies_[at] / static_cast<double>(divisors[j]));
      t = {std::cos(angle), std::sin(angle)};
    } else {
      t = turn(position, j);
    }
    if (far > 0 && !divisors_) {
      const Turn b{std::cos(far * frequencies_[at]), std::sin(far * frequencies_[at])};
      t = {t.cosine * b.cosine - t.sine * b.sine, t.sine * b.cosine + t.cosine * b.sine};
    }
    out[j] = static_cast<float>(t.cosine * magnitude);
    out[pairs_ + j] = static_cast<float>(t.sine * magnitude);
  }
}

void Rotation::apply(const Loops& loops, const float* terms, float* head) const {
  const float* sines = terms + pairs_;
  if (spec_.pairing == RopePairing::halves) return loops.rotate(head, head + spec_.pair_offset, terms, sines, pairs_);
  for (std::int64_t j = 0; j < pairs_; ++j) {
    const float a = head[2 * j];
    const float b = head[2 * j + 1];
    head[2 * j] = a * terms[j] - b * sines[j];
    head[2 * j + 1] = a * sines[j] + b * terms[j];
  }
}

}  // namespace weft::cpu
