// View with other dimensions.
#include "core/ops/reshape.hpp"

#include <algorithm>

#include "core/ops/sample_inputs.hpp"
#include "core/ops/view_ops.hpp"

namespace weft {
namespace {

/// `shape` with each symbolic dimension replaced by that of `from` with the same symbol: its maximum is set later than
/// the attribute.
Result<Shape> with_sizes_of(const Shape& from, Shape shape) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i].symbol == Symbol::none) continue;
    const std::span<const Dim> dims = from.dims();
    const auto same = std::find_if(dims.begin(), dims.end(), [&](const Dim& d) { return d.symbol == shape[i].symbol; });
    if (same == dims.end()) {
      return fail(ErrorCode::invalid_argument, "reshape: {} to {}, wanted a dimension {} in the input", to_string(from),
                  to_string(shape), weft::name_of(shape[i].symbol));
    }
    shape[i] = *same;
  }
  return shape;
}

/// Dimensions from `kept` on hold as many elements in both, and none of them is symbolic unless they are equal.
bool same_rest(const Shape& a, const Shape& b, std::size_t kept) {
  if (a == b) return true;
  std::int64_t elements_a = 1;
  std::int64_t elements_b = 1;
  for (std::size_t i = kept; i < a.rank(); ++i) {
    if (a[i].symbol != Symbol::none) return false;
    elements_a *= a[i].max;
  }
  for (std::size_t i = kept; i < b.rank(); ++i) {
    if (b[i].symbol != Symbol::none) return false;
    elements_b *= b[i].max;
  }
  return elements_a == elements_b;
}

bool dense_from(const TensorDesc& desc, std::size_t first) {
  std::int64_t stride = 1;
  for (std::size_t i = desc.shape.rank(); i-- > first;) {
    if (desc.shape[i].max > 1 && desc.strides[i] != stride) return false;
    stride *= desc.shape[i].max;
  }
  return true;
}

}  // namespace

Result<View> Reshape::view(const TensorDesc& in) const {
  const auto wanted = with_sizes_of(in.shape, shape);
  if (!wanted) return error_of(wanted);
  std::size_t kept = 0;
  while (kept + 1 < std::min(in.shape.rank(), wanted->rank()) && in.shape[kept] == (*wanted)[kept]) ++kept;
  if (!same_rest(in.shape, *wanted, kept)) {
    return fail(ErrorCode::invalid_argument, "reshape: {} to {}, wanted as many elements, in leading dimensions too",
                to_string(in), to_string(*wanted));
  }
  if (!dense_from(in, kept)) {
    return fail(ErrorCode::invalid_argument,
                "reshape: {} to {}, wanted dimensions from {} on to be dense; copy it first", to_string(in),
                to_string(*wanted), kept);
  }
  if (wanted->width().max % info(in.dtype).block_elements != 0) {
    return fail(ErrorCode::invalid_argument, "reshape: {} to {}, wanted rows of whole blocks", to_string(in),
                to_string(*wanted));
  }
  View result{TensorDesc::dense(in.dtype, *wanted), 0};
  for (std::size_t i = 0; i < kept; ++i) result.desc.strides[i] = in.strides[i];
  return result;
}

Result<TensorDescs> Reshape::infer(TensorSpan in) const {
  const auto input = view_ops::only_input(name, inputs, in);
  if (!input) return error_of(input);
  const auto result = view(*input);
  if (!result) return error_of(result);
  return TensorDescs{result->desc};
}

void Reshape::reference(ConstHostViews in, MutableHostViews out) const {
  view_ops::copy_view(view(in[0].desc), in, out);
}

Cost Reshape::cost(TensorSpan in) const { return view_ops::cost(view(in[0])); }
Facts Reshape::facts(TensorSpan in) const { return view_ops::facts(in); }
Tolerance Reshape::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const { return {}; }

std::vector<Sample<Reshape>> Reshape::samples() {
  using sample::normal;
  std::vector<Sample<Reshape>> all;
  all.push_back({"to heads", Reshape{{5, 9, 64}}, {normal(DType::f32, {5, 576})}});
  all.push_back({"from heads", Reshape{{5, 576}}, {normal(DType::f16, {5, 9, 64})}});
  all.push_back({"flat", Reshape{{30}}, {normal(DType::f32, {2, 3, 5})}});
  all.push_back({"heads of a strided view", Reshape{{5, 3, 16}}, {sample::strided(DType::f32, {5, 48}, 16)}});
  all.push_back({"no tokens", Reshape{{0, 3, 16}}, {normal(DType::f32, {0, 48})}});
  all.push_back({"q8_0 rows", Reshape{{6, 32}}, {normal(DType::q8_0, {2, 96})}});
  return all;
}

}  // namespace weft
