// Activation functions.
#include "core/ops/activation.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

std::string_view name_of(ActivationKind kind) {
  switch (kind) {
    case ActivationKind::silu: return "silu";
    case ActivationKind::gelu_tanh: return "gelu_tanh";
    case ActivationKind::gelu_erf: return "gelu_erf";
    case ActivationKind::relu: return "relu";
    case ActivationKind::sigmoid: return "sigmoid";
  }
  return "silu";
}

double activate(ActivationKind kind, double x) {
  constexpr double sqrt_2_over_pi = 0.79788456080286535588;
  switch (kind) {
    case ActivationKind::silu: return x / (1 + std::exp(-x));
    case ActivationKind::gelu_tanh: return 0.5 * x * (1 + std::tanh(sqrt_2_over_pi * (x + 0.044715 * x * x * x)));
    case ActivationKind::gelu_erf: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case ActivationKind::relu: return x < 0 ? 0 : x;  // keeps NaN
    case ActivationKind::sigmoid: return 1 / (1 + std::exp(-x));
  }
  return x;
}

Result<TensorDescs> Activation::infer(TensorSpan in) const {
  OperandChecks check = elementwise::check_unary(name, inputs, in);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Activation::reference(ConstHostViews in, MutableHostViews out) const {
  const ActivationKind kind = activation;
  elementwise::apply(in, out, [kind](double x) { return activate(kind, x); });
}

Cost Activation::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 8); }

Facts Activation::facts(TensorSpan in) const {
  return elementwise::unary_facts(in).set("activation", name_of(activation));
}

Tolerance Activation::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  return activation_tolerance(activation, 1.0, in[0].dtype);
}

std::vector<Sample<Activation>> Activation::samples() {
  std::vector<Sample<Activation>> all = elementwise::unary_samples(Activation{});
  for (const ActivationKind kind : all_activations) {
    const Activation op{.activation = kind};
    const std::string kind_name(weft::name_of(kind));
    all.push_back({kind_name + " f32", op, {sample::normal(DType::f32, {3, 257}, 2.0F)}});
    all.push_back({kind_name + " f16", op, {sample::normal(DType::f16, {2, 129}, 2.0F)}});
    all.push_back({kind_name + " tails", op, {sample::values(DType::f32, {1, 7}, {-90, -20, -3, 0, 3, 20, 90})}});
  }
  return all;
}

}  // namespace weft
