// Row look-up.
#include "core/ops/embed.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

Result<TensorDescs> Embed::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.type(0, DType::i32).rank(0, 1).weight(1).rank(1, 2);
  check.that(out_type == DType::f32 || out_type == DType::f16, "result type", weft::name_of(out_type), "f32 or f16");
  if (!check.ok()) return check.error();
  return TensorDescs{TensorDesc::dense(out_type, {in[0].shape[0], in[1].shape[1]})};
}

void Embed::reference(ConstHostViews in, MutableHostViews out) const {
  const std::vector<std::int32_t> ids = read_integers(in[0]);
  std::vector<double> y(static_cast<std::size_t>(in[1].width()));
  for (std::size_t t = 0; t < ids.size(); ++t) {
    assert(ids[t] >= 0 && ids[t] < in[1].rows());
    const std::vector<float> row = read_row(in[1], ids[t]);
    for (std::size_t i = 0; i < row.size(); ++i) y[i] = static_cast<double>(scale) * row[i];
    write_row(out[0], static_cast<std::int64_t>(t), y);
  }
}

Cost Embed::cost(TensorSpan in) const {
  const auto tokens = static_cast<double>(in[0].shape.elements());
  const auto width = static_cast<double>(in[1].width());
  return {.flops = tokens * width,
          .bytes_read = tokens * (4 + static_cast<double>(row_bytes(in[1].dtype, in[1].width()))),
          .bytes_written = tokens * width * static_cast<double>(info(out_type).block_bytes)};
}

Facts Embed::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[0].shape.elements());
  facts.set("width", in[1].width());
  facts.set("vocab", in[1].rows());
  facts.set("table", weft::name_of(in[1].dtype));
  facts.set("y", weft::name_of(out_type));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  return facts;
}

// Four roundings while a block is decoded, measured against an element; where a minimum is taken off, an element may
// be smaller than its parts: samples' block parts stay below 16.
Tolerance Embed::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  Tolerance t = rounding_tolerance(5, out_type);
  if (is_quantised(in[1].dtype)) t.absolute += 16 * 4 * roundoff_f32 * std::abs(static_cast<double>(scale));
  return t;
}

std::vector<Sample<Embed>> Embed::samples() {
  std::vector<Sample<Embed>> all;
  for (const DType table : weight_types()) {
    const std::int64_t block = info(table).block_elements;
    for (const DType out : {DType::f32, DType::f16}) {
      for (const std::int64_t width : {block, 3 * block, block == 256 ? 2048 : 896 / block * block}) {
        all.push_back({fmt::format("{} width {} to {}", weft::name_of(table), width, weft::name_of(out)),
                       Embed{.out_type = out},
                       {sample::integers({0, 6, 3, 3, 5, 1, 6}), sample::normal(table, {7, width})}});
      }
    }
    all.push_back({fmt::format("{} scaled, one id", weft::name_of(table)),
                   Embed{.scale = 25.298221F},
                   {sample::integers({2}), sample::normal(table, {3, 2 * block}, 0.1F)}});
    all.push_back({fmt::format("{} no ids", weft::name_of(table)),
                   Embed{},
                   {sample::integers({}), sample::normal(table, {3, block})}});
  }
  for (const DType table : {DType::f32, DType::f16}) {
    all.push_back({fmt::format("{} rows chosen from a view", weft::name_of(table)),
                   Embed{.out_type = table},
                   {sample::integers({4, 0}), sample::strided(table, {5, 33}, 31)}});
  }
  return all;
}

}  // namespace weft
