// Gated linear unit.
#include "core/ops/glu.hpp"

#include "core/ops/elementwise.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Glu::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).activation(1);
  if (check.ok()) check.shape(1, in[0].shape);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Glu::reference(ConstHostViews in, MutableHostViews out) const {
  const ActivationKind kind = activation;
  elementwise::apply(in, out, [kind](double gate, double up) { return activate(kind, gate) * up; });
}

Cost Glu::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 9); }

Facts Glu::facts(TensorSpan in) const {
  return elementwise::unary_facts(in).set("up", name_of(in[1].dtype)).set("activation", weft::name_of(activation));
}

Tolerance Glu::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  return activation_tolerance(activation, 8.0, in[0].dtype);
}

std::vector<Sample<Glu>> Glu::samples() {
  using sample::normal;
  std::vector<Sample<Glu>> all;
  for (const ActivationKind kind : all_activations) {
    const std::string kind_name(weft::name_of(kind));
    for (const std::int64_t width : {1, 31, 33, 64, 257, 1536}) {
      const DType type = width % 2 == 0 ? DType::f16 : DType::f32;
      const Shape shape{3, width};
      all.push_back({fmt::format("{} {} width {}", kind_name, weft::name_of(type), width),
                     Glu{kind},
                     {normal(type, shape, 2.0F), normal(type, shape)}});
    }
    all.push_back({kind_name + " strided halves of one tensor",
                   Glu{kind},
                   {sample::strided(DType::f32, {5, 48}, 48), sample::strided(DType::f32, {5, 48}, 48)}});
  }
  all.push_back({"no rows", Glu{}, {normal(DType::f32, {0, 64}), normal(DType::f32, {0, 64})}});
  all.push_back({"three dimensions", Glu{}, {normal(DType::f32, {2, 3, 17}), normal(DType::f32, {2, 3, 17})}});
  all.push_back({"large up", Glu{}, {normal(DType::f32, {2, 37}), normal(DType::f32, {2, 37}, 1000.0F)}});
  return all;
}

}  // namespace weft
