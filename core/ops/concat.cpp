// Joining along the innermost dimension.
#include "core/ops/concat.hpp"

#include <cstring>

#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"

namespace weft {

Result<TensorDescs> Concat::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  std::int64_t width = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    check.that(in[i].present(), fmt::format("part {}", i), "absent", "a tensor").activation(i).rank(i, 2);
    if (check.ok()) check.type(i, in[0].dtype).that(i, in[i].shape[0] == in[0].shape[0], "as many rows as the first");
    width += check.inner(i).max;
  }
  if (!check.ok()) return check.error();
  return TensorDescs{TensorDesc::dense(in[0].dtype, {in[0].shape[0], Dim(width)})};
}

void Concat::reference(ConstHostViews in, MutableHostViews out) const {
  for (std::int64_t r = 0; r < out[0].rows(); ++r) {
    std::byte* to = out[0].row(r);
    for (const ConstHostView& part : in) {
      const auto bytes = static_cast<std::size_t>(row_bytes(part.desc.dtype, part.width()));
      if (bytes > 0) std::memcpy(to, part.row(r), bytes);
      to += bytes;
    }
  }
}

Cost Concat::cost(TensorSpan in) const {
  const double bytes = elementwise::bytes_of(in);
  return {.flops = 0, .bytes_read = bytes, .bytes_written = bytes};
}

Facts Concat::facts(TensorSpan in) const {
  std::int64_t width = 0;
  for (const TensorDesc& part : in) width += part.width();
  return elementwise::unary_facts(in).set("parts", static_cast<std::int64_t>(in.size())).set("width", width);
}

Tolerance Concat::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const { return {}; }

std::vector<Sample<Concat>> Concat::samples() {
  using sample::normal;
  std::vector<Sample<Concat>> all;
  for (const DType type : {DType::f32, DType::f16}) {
    const std::string prefix(weft::name_of(type));
    all.push_back({prefix + " one part", Concat{}, {normal(type, {3, 5})}});
    all.push_back(
        {prefix + " q, k, v", Concat{}, {normal(type, {5, 576}), normal(type, {5, 192}), normal(type, {5, 192})}});
    all.push_back(
        {prefix + " odd widths", Concat{}, {normal(type, {2, 1}), normal(type, {2, 31}), normal(type, {2, 7})}});
    all.push_back(
        {prefix + " strided", Concat{}, {sample::strided(type, {4, 9}, 3), sample::strided(type, {4, 8}, 8)}});
    all.push_back({prefix + " no rows", Concat{}, {normal(type, {0, 5}), normal(type, {0, 3})}});
  }
  return all;
}

}  // namespace weft
