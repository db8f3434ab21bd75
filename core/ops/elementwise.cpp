// Inference, reference, cost and facts of elementwise ops.
#include "core/ops/elementwise.hpp"

#include <algorithm>

#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"

namespace weft::elementwise {
namespace {

bool broadcasts(const Shape& a, const Shape& b) {
  if (b.rank() > a.rank() || b.rank() == 0) return false;
  for (std::size_t i = 0; i < b.rank(); ++i) {
    const Dim own = b[b.rank() - 1 - i];
    const Dim wanted = a[a.rank() - 1 - i];
    if (!(own == wanted || (i > 0 && own == Dim(1)))) return false;
  }
  return true;
}

}  // namespace

OperandChecks check_unary(std::string_view op, std::span<const Port> ports, TensorSpan in) {
  OperandChecks check(op, ports, in);
  check.activation(0);
  return check;
}

OperandChecks check_binary(std::string_view op, std::span<const Port> ports, TensorSpan in) {
  OperandChecks check(op, ports, in);
  check.activation(0).activation(1);
  if (check.ok()) {
    check.that(1, broadcasts(in[0].shape, in[1].shape),
               fmt::format("shape {} or one that is broadcast to it over leading dimensions", to_string(in[0].shape)));
  }
  return check;
}

TensorDesc like(const TensorDesc& x) { return TensorDesc::dense(x.dtype, x.shape); }
TensorDesc like(const TensorDesc& x, DType type) { return TensorDesc::dense(type, x.shape); }

void apply(ConstHostViews in, MutableHostViews out, const std::function<double(double)>& f) {
  std::vector<double> y(static_cast<std::size_t>(in[0].width()));
  for (std::int64_t r = 0; r < in[0].rows(); ++r) {
    const std::vector<float> x = read_row(in[0], r);
    std::transform(x.begin(), x.end(), y.begin(), [&](float v) { return f(v); });
    write_row(out[0], r, y);
  }
}

void apply(ConstHostViews in, MutableHostViews out, const std::function<double(double, double)>& f) {
  std::vector<double> y(static_cast<std::size_t>(in[0].width()));
  for (std::int64_t r = 0; r < in[0].rows(); ++r) {
    const std::vector<float> a = read_row(in[0], r);
    const std::vector<float> b = read_row(in[1], broadcast_row(in[0].desc.shape, in[1].desc.shape, r));
    std::transform(a.begin(), a.end(), b.begin(), y.begin(), [&](float u, float v) { return f(u, v); });
    write_row(out[0], r, y);
  }
}

double bytes_of(TensorSpan in) {
  double bytes = 0;
  for (const TensorDesc& desc : in) {
    if (desc.present()) bytes += static_cast<double>(desc.rows() * row_bytes(desc.dtype, desc.width()));
  }
  return bytes;
}

Cost cost(TensorSpan in, DType out, double flops_per_element) {
  const auto elements = static_cast<double>(in[0].shape.elements());
  return {.flops = flops_per_element * elements,
          .bytes_read = bytes_of(in),
          .bytes_written = elements * static_cast<double>(info(out).block_bytes)};
}

bool all_dense(TensorSpan in) {
  return std::all_of(in.begin(), in.end(), [](const TensorDesc& d) { return !d.present() || d.is_dense(); });
}

Facts unary_facts(TensorSpan in) {
  Facts facts;
  facts.set("rows", in[0].rows());
  facts.set("width", in[0].width());
  facts.set("x", name_of(in[0].dtype));
  facts.set("dense", std::int64_t{all_dense(in)});
  return facts;
}

Facts binary_facts(TensorSpan in) {
  Facts facts = unary_facts(in);
  facts.set("b", name_of(in[1].dtype));
  facts.set("broadcast", std::int64_t{in[0].shape != in[1].shape});
  return facts;
}

std::vector<NamedInputs> unary_inputs() {
  std::vector<NamedInputs> cases;
  for (const DType type : {DType::f32, DType::f16}) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 576}, Shape{7, 31}, Shape{3, 33}, Shape{2, 5, 64}, Shape{13},
                               Shape{4, 896}, Shape{0, 17}}) {
      cases.push_back({fmt::format("{} {}", name_of(type), to_string(shape)), {sample::normal(type, shape)}});
    }
    cases.push_back({fmt::format("{} strided", name_of(type)), {sample::strided(type, {5, 3, 40}, 8)}});
  }
  cases.push_back({"outliers", {sample::values(DType::f32, {3, 74}, sample::with_outliers(3 * 74))}});
  cases.push_back({"denormals", {sample::values(DType::f32, {1, 19}, sample::denormals(19))}});
  cases.push_back({"large", {sample::normal(DType::f32, {2, 65}, 1e6F)}});
  return cases;
}

std::vector<NamedInputs> binary_inputs() {
  using sample::normal;
  std::vector<NamedInputs> cases;
  struct Shapes {
    Shape a, b;
  };
  for (const DType type : {DType::f32, DType::f16}) {
    for (const auto& [a, b] : {Shapes{{1, 1}, {1, 1}}, Shapes{{7, 31}, {7, 31}}, Shapes{{3, 576}, {3, 576}},
                               Shapes{{2, 5, 64}, {2, 5, 64}}, Shapes{{5, 33}, {33}}, Shapes{{5, 33}, {1, 33}},
                               Shapes{{2, 3, 17}, {3, 17}}, Shapes{{2, 3, 17}, {2, 1, 17}}, Shapes{{0, 9}, {9}}}) {
      cases.push_back({fmt::format("{} {} with {}", name_of(type), to_string(a), to_string(b)),
                       {normal(type, a), normal(type, b)}});
    }
  }
  cases.push_back({"strided", {sample::strided(DType::f32, {5, 40}, 24), sample::strided(DType::f32, {5, 40}, 7)}});
  cases.push_back({"f16 with f32", {normal(DType::f16, {3, 65}), normal(DType::f32, {3, 65})}});
  cases.push_back({"f32 with f16", {normal(DType::f32, {3, 65}), normal(DType::f16, {3, 65})}});
  cases.push_back(
      {"outliers",
       {sample::values(DType::f32, {3, 74}, sample::with_outliers(3 * 74)), normal(DType::f32, {3, 74}, 1e-3F)}});
  cases.push_back({"denormals",
                   {sample::values(DType::f32, {1, 19}, sample::denormals(19)),
                    sample::values(DType::f32, {1, 19}, sample::denormals(19))}});
  return cases;
}

}  // namespace weft::elementwise
