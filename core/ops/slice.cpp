// View of a range of one dimension.
#include "core/ops/slice.hpp"

#include "core/ops/sample_inputs.hpp"
#include "core/ops/view_ops.hpp"

namespace weft {

Result<View> Slice::view(const TensorDesc& in) const {
  const auto rank = static_cast<std::int64_t>(in.shape.rank());
  if (axis < 0 || axis >= rank) {
    return fail(ErrorCode::invalid_argument, "slice: axis is {}, wanted 0 to {} for {}", axis, rank - 1, to_string(in));
  }
  const auto at = static_cast<std::size_t>(axis);
  const Dim whole = in.shape[at];
  if (whole.symbol != Symbol::none) {
    return fail(ErrorCode::invalid_argument, "slice: axis {} of {} has no fixed size", axis, to_string(in));
  }
  if (begin < 0 || length < 0 || begin > whole.max - length) {
    return fail(ErrorCode::invalid_argument, "slice: elements {} to {} of axis {} of {}, which has {}", begin,
                begin + length, axis, to_string(in), whole.max);
  }
  const std::int64_t block = info(in.dtype).block_elements;
  const bool inner = at + 1 == in.shape.rank();
  if (inner && (begin % block != 0 || length % block != 0)) {
    return fail(ErrorCode::invalid_argument, "slice: begin {} and length {}, wanted multiples of {}'s block of {}",
                begin, length, weft::name_of(in.dtype), block);
  }
  View result{in, row_bytes(in.dtype, begin * (inner ? 1 : in.strides[at]))};
  result.desc.shape[at] = Dim(length);
  return result;
}

Result<TensorDescs> Slice::infer(TensorSpan in) const {
  const auto input = view_ops::only_input(name, inputs, in);
  if (!input) return error_of(input);
  const auto result = view(*input);
  if (!result) return error_of(result);
  return TensorDescs{result->desc};
}

void Slice::reference(ConstHostViews in, MutableHostViews out) const { view_ops::copy_view(view(in[0].desc), in, out); }

Cost Slice::cost(TensorSpan in) const { return view_ops::cost(view(in[0])); }
Facts Slice::facts(TensorSpan in) const { return view_ops::facts(in); }
Tolerance Slice::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const { return {}; }

std::vector<Sample<Slice>> Slice::samples() {
  using sample::normal;
  std::vector<Sample<Slice>> all;
  all.push_back({"columns", Slice{1, 5, 7}, {normal(DType::f32, {3, 17})}});
  all.push_back({"f16 second half", Slice{2, 64, 64}, {normal(DType::f16, {3, 4, 128})}});
  all.push_back({"rows", Slice{0, 2, 3}, {normal(DType::f32, {6, 5})}});
  all.push_back({"middle axis of a view", Slice{1, 1, 2}, {sample::strided(DType::f32, {3, 4, 9}, 3)}});
  all.push_back({"nothing", Slice{0, 2, 0}, {normal(DType::f32, {6, 5})}});
  all.push_back({"all", Slice{0, 0, 6}, {normal(DType::f32, {6, 5})}});
  all.push_back({"q4_0 blocks", Slice{1, 32, 64}, {normal(DType::q4_0, {3, 128})}});
  return all;
}

}  // namespace weft
