// The activation functions, and one of them applied to a tensor.
#pragma once

#include "core/op.hpp"

namespace weft {

enum class ActivationKind : std::uint8_t {
  silu,       ///< x * sigmoid(x)
  gelu_tanh,  ///< 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  gelu_erf,   ///< 0.5 x (1 + erf(x / sqrt(2)))
  relu,       ///< max(x, 0)
  sigmoid,    ///< 1 / (1 + exp(-x))
};
inline constexpr std::array all_activations{ActivationKind::silu, ActivationKind::gelu_tanh, ActivationKind::gelu_erf,
                                            ActivationKind::relu, ActivationKind::sigmoid};
[[nodiscard]] std::string_view name_of(ActivationKind kind);
[[nodiscard]] double activate(ActivationKind kind, double x);

/// y = act(x)
/// Facts: rows, width, x (type), dense (0/1), activation.
struct Activation {
  static constexpr std::string_view name = "activation";
  static constexpr std::array inputs = {Port{"x", "[…, width] f32 or f16"}};
  static constexpr std::array outputs = {Port{"y", "shape of x"}};
  ActivationKind activation = ActivationKind::silu;

  [[nodiscard]] Result<TensorDescs> infer(TensorSpan in) const;
  void reference(ConstHostViews in, MutableHostViews out) const;
  [[nodiscard]] Cost cost(TensorSpan in) const;
  [[nodiscard]] Facts facts(TensorSpan in) const;
  [[nodiscard]] Tolerance tolerance(TensorSpan in, ActivationPrecision precision) const;
  static std::vector<Sample<Activation>> samples();
  friend bool operator==(const Activation&, const Activation&) = default;
};

}  // namespace weft
