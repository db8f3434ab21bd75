// Plan of rope, and the exact angles that it turns by.
#include <cmath>
#include <numbers>

#include "backends/opencl/ops/rope/rotation_plan.hpp"

namespace weft::opencl {

std::vector<std::uint64_t> rope_turns(const RopeSpec& spec, std::span<const float> divisors) {
  std::vector<std::uint64_t> turns;
  for (const double frequency : rope_frequencies(spec, divisors)) {
    const long double turn = static_cast<long double>(frequency) / (2 * std::numbers::pi_v<long double>);
    turns.push_back(static_cast<std::uint64_t>(std::ldexp(turn - std::floor(turn), 64)));
  }
  return turns;
}

Result<Place> plan_turns(StepPlan& plan, const RopeSpec& spec, const Operand& divisors) {
  std::span<const float> factors;
  if (divisors.present()) {
    if (divisors.constant == nullptr) {
      return fail(ErrorCode::unsupported, "rope divisors that change from step to step");
    }
    factors = {reinterpret_cast<const float*>(divisors.constant->data.data()),
               static_cast<std::size_t>(divisors.desc.width())};
  }
  const std::vector<std::uint64_t> turns = rope_turns(spec, factors);
  const auto bytes = std::as_bytes(std::span(turns));
  return plan.table({bytes.begin(), bytes.end()});
}

void add_rotation(Launch& launch, const RopeSpec& spec) {
  launch.define("INTERLEAVED", std::int64_t{spec.pairing == RopePairing::interleaved});
  launch.number(static_cast<std::uint32_t>(spec.rotated / 2)).number(static_cast<std::uint32_t>(spec.pair_offset));
  launch.number(spec.magnitude);
}

Status plan_rope(const StepRequest& request, StepPlan& plan) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const auto& op = request.op<Rope>();
  const Operand& x = request.inputs[0];
  const Operand& y = request.outputs[0];
  const auto turns = plan_turns(plan, op.spec, request.inputs[2]);
  if (!turns) return error_of(turns);
  Launch& launch = plan.launch("ops/rope/rope.cl", "rope");
  launch.define("X_TYPE", name_of(x.desc.dtype)).define("Y_TYPE", name_of(y.desc.dtype)).define("LANES", *lanes);
  launch.memory(x).memory(request.inputs[1]).memory(*turns).memory(y).size32(x.desc.shape.width());
  launch.number(x.desc.strides[0]).number(x.desc.strides[1]).number(y.desc.strides[0]).number(y.desc.strides[1]);
  add_rotation(launch, op.spec);
  launch.global = {Size(*lanes), Size(x.desc.shape[1]), Size(x.desc.shape[0])};
  launch.local[0] = static_cast<std::size_t>(*lanes);
  return {};
}

}  // namespace weft::opencl
