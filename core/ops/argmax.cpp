// Index of the largest element.
#include "core/ops/argmax.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"

namespace weft {
namespace {

std::int32_t argmax(std::span<const float> x) {
  std::int32_t best = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return -1;
    if (x[i] > x[static_cast<std::size_t>(best)]) best = static_cast<std::int32_t>(i);
  }
  return best;
}

}  // namespace

Result<TensorDescs> Argmax::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 2).that(0, check.inner(0).max > 0, "at least one element in a row");
  if (!check.ok()) return check.error();
  return TensorDescs{TensorDesc::dense(DType::i32, {in[0].shape[0]})};
}

void Argmax::reference(ConstHostViews in, MutableHostViews out) const {
  for (std::int64_t r = 0; r < in[0].rows(); ++r) {
    const std::int32_t index = argmax(read_row(in[0], r));
    std::memcpy(out[0].data + static_cast<std::size_t>(r) * sizeof index, &index, sizeof index);
  }
}

Cost Argmax::cost(TensorSpan in) const {
  return {.flops = static_cast<double>(in[0].shape.elements()),
          .bytes_read = elementwise::bytes_of(in),
          .bytes_written = 4 * static_cast<double>(in[0].rows())};
}

Facts Argmax::facts(TensorSpan in) const { return elementwise::unary_facts(in); }
Tolerance Argmax::tolerance(TensorSpan /*in*/, ActivationPrecision /*precision*/) const { return {}; }

std::vector<Sample<Argmax>> Argmax::samples() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Sample<Argmax>> all;
  for (const DType type : {DType::f32, DType::f16}) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 255}, Shape{3, 256}, Shape{2, 257}, Shape{5, 31}, Shape{1, 49152}, Shape{0, 7}}) {
      all.push_back(
          {fmt::format("{} {}", weft::name_of(type), to_string(shape)), Argmax{}, {sample::normal(type, shape)}});
    }
    all.push_back(
        {fmt::format("{} ties, infinities and NaN", weft::name_of(type)),
         Argmax{},
         {sample::values(type, {6, 4}, {1, 3,   3, 2, -1,   -1,   -1,   -1,  -inf, -inf, -2, -inf, 0, inf, inf, 1,  //
                                        5, nan, 7, 1, -inf, -inf, -inf, -inf})}});
    all.push_back({fmt::format("{} strided", weft::name_of(type)), Argmax{}, {sample::strided(type, {5, 33}, 7)}});
  }
  all.push_back({"equal rows take the first", Argmax{}, {sample::constant(DType::f32, {3, 1025}, 0.5F)}});
  return all;
}

}  // namespace weft
