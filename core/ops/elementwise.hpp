// What the elementwise ops share: inference, reference, cost and facts of one or two operands.
// Facts: `rows` (product of leading dimensions), `width`, `x` (type), `dense` (1 when no operand is strided); with two
// operands also `b` (type of the second) and `broadcast` (1 when its shape differs from the first's).
#pragma once

#include <functional>

#include "core/ops/check.hpp"

namespace weft::elementwise {

/// Operand 0 as it is, of type f32 or f16.
[[nodiscard]] OperandChecks check_unary(std::string_view op, std::span<const Port> ports, TensorSpan in);
/// Operand 1 has the shape of operand 0, or is broadcast over leading dimensions that it lacks or that are 1.
[[nodiscard]] OperandChecks check_binary(std::string_view op, std::span<const Port> ports, TensorSpan in);

/// Dense, shape and type of operand 0.
[[nodiscard]] TensorDesc like(const TensorDesc& x);
[[nodiscard]] TensorDesc like(const TensorDesc& x, DType type);

void apply(ConstHostViews in, MutableHostViews out, const std::function<double(double)>& f);
void apply(ConstHostViews in, MutableHostViews out, const std::function<double(double, double)>& f);

[[nodiscard]] Cost cost(TensorSpan in, DType out, double flops_per_element);
[[nodiscard]] Facts unary_facts(TensorSpan in);
[[nodiscard]] Facts binary_facts(TensorSpan in);
[[nodiscard]] bool all_dense(TensorSpan in);
[[nodiscard]] double bytes_of(TensorSpan in);  ///< operands once each, without states

/// Inputs of sizes, types, strides and magnitudes that every elementwise op should meet.
struct NamedInputs {
  std::string name;
  std::vector<SampleInput> inputs;
};
[[nodiscard]] std::vector<NamedInputs> unary_inputs();
[[nodiscard]] std::vector<NamedInputs> binary_inputs();

template <class T>
[[nodiscard]] std::vector<Sample<T>> samples_of(const T& op, std::vector<NamedInputs> cases) {
  std::vector<Sample<T>> samples;
  for (NamedInputs& c : cases) samples.push_back({std::move(c.name), op, std::move(c.inputs)});
  return samples;
}
template <class T>
[[nodiscard]] std::vector<Sample<T>> unary_samples(const T& op) {
  return samples_of(op, unary_inputs());
}
template <class T>
[[nodiscard]] std::vector<Sample<T>> binary_samples(const T& op) {
  return samples_of(op, binary_inputs());
}

}  // namespace weft::elementwise
