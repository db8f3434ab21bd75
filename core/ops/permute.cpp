// View with reordered dimensions.
#include "core/ops/permute.hpp"

#include "core/ops/sample_inputs.hpp"
#include "core/ops/view_ops.hpp"

namespace weft {

Result<View> Permute::view(const TensorDesc& in) const {
  const std::size_t rank = in.shape.rank();
  std::array<bool, max_rank> seen{};
  for (std::size_t j = 0; j < rank; ++j) {
    if (order[j] >= rank || seen[order[j]]) {
      return fail(ErrorCode::invalid_argument, "permute: order[{}] is {}, wanted each of 0 to {} once for {}", j,
                  order[j], rank - 1, to_string(in));
    }
    seen[order[j]] = true;
  }
  if (rank > 0 && order[rank - 1] != rank - 1) {
    return fail(ErrorCode::invalid_argument, "permute: order[{}] is {}, wanted {}: the innermost dimension of {} stays",
                rank - 1, order[rank - 1], rank - 1, to_string(in));
  }
  View result{in, 0};
  for (std::size_t j = 0; j < rank; ++j) {
    result.desc.shape[j] = in.shape[order[j]];
    result.desc.strides[j] = in.strides[order[j]];
  }
  return result;
}

Result<TensorDescs> Permute::infer(TensorSpan in) const {
  const auto input = view_ops::only_input(name, inputs, in);
  if (!input) return error_of(input);
  const auto result = view(*input);
  if (!result) return error_of(result);
  return TensorDescs{result->desc};
}

void Permute::reference(ConstHostViews in, MutableHostViews out) const {
  view_ops::copy_view(view(in[0].desc), in, out);
}

Cost Permute::cost(TensorSpan in) const { return view_ops::cost(view(in[0])); }
Facts Permute::facts(TensorSpan in) const { return view_ops::facts(in); }
Tolerance Permute::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const { return {}; }

std::vector<Sample<Permute>> Permute::samples() {
  using sample::normal;
  std::vector<Sample<Permute>> all;
  all.push_back({"as it is", Permute{}, {normal(DType::f32, {3, 5})}});
  all.push_back({"heads first", Permute{{1, 0, 2, 3}}, {normal(DType::f32, {5, 3, 17})}});
  all.push_back({"f16 four dimensions", Permute{{2, 0, 1, 3}}, {normal(DType::f16, {2, 3, 4, 7})}});
  all.push_back({"of a view", Permute{{1, 0, 2, 3}}, {sample::strided(DType::f32, {5, 3, 8}, 8)}});
  all.push_back({"no tokens", Permute{{1, 0, 2, 3}}, {normal(DType::f32, {0, 3, 8})}});
  return all;
}

}  // namespace weft
