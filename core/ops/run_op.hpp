// Calls of ops on small tensors given as numbers, for the tests of ops.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/sample_data.hpp"

namespace weft::testing_ops {

/// What an op's reference gives: each output's elements in order (empty for states), and the tensors themselves.
struct Outcome {
  std::vector<std::vector<float>> values;
  std::vector<std::vector<std::int32_t>> integers;
  std::vector<OwnedTensor> tensors;
};

template <class T>
Outcome run_on(const T& op, const std::vector<OwnedTensor>& in) {
  Outcome outcome;
  const auto descs = op.infer(descs_of(in));
  if (!descs) throw std::runtime_error(descs.error().message);
  outcome.tensors = make_outputs(Op(op), *descs, in);
  const auto inputs = input_views(in);
  const auto outputs = output_views(outcome.tensors);
  op.reference(inputs, outputs);
  for (const OwnedTensor& t : outcome.tensors) {
    outcome.values.push_back(is_float(t.desc().dtype) ? read_all(t.input()) : std::vector<float>());
    const bool ids = t.desc().dtype == DType::i32;
    outcome.integers.push_back(ids ? read_integers(t.input()) : std::vector<std::int32_t>());
  }
  return outcome;
}

template <class T>
Outcome run(const T& op, std::vector<SampleInput> inputs, std::uint64_t seed = 1) {
  return run_on(op, make_inputs(AnySample{"", op, std::move(inputs)}, seed));
}

/// The message of an op's refusal; empty when it accepts the operands.
template <class T>
std::string refusal(const T& op, const TensorDescs& in) {
  const auto result = op.infer(in);
  return result ? std::string() : result.error().message;
}

inline TensorDesc f32(const Shape& shape) { return TensorDesc::dense(DType::f32, shape); }
inline TensorDesc i32(const Shape& shape) { return TensorDesc::dense(DType::i32, shape); }

}  // namespace weft::testing_ops
