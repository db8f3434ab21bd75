// Ops of any kind: each function visits the op that a value holds.
#include "core/ops.hpp"

#include <cassert>
#include <cmath>

#include "core/ops/rows.hpp"

namespace weft {
namespace {

void absolute_values(const ConstHostView& from, const MutableHostView& to) {
  if (!is_float(from.desc.dtype)) return;
  for (std::int64_t r = 0; r < from.rows(); ++r) {
    std::vector<float> row = read_row(from, r);
    for (float& v : row) v = std::abs(v);
    store_row(to, r, row);
  }
}

template <class T>
TensorDescs descs_of(const Sample<T>& sample) {
  TensorDescs descs;
  for (const SampleInput& input : sample.inputs) descs.push_back(input.desc);
  return descs;
}

}  // namespace

std::string_view name_of(const Op& op) {
  return std::visit([]<class T>(const T&) -> std::string_view { return T::name; }, op);
}

Result<TensorDescs> infer(const Op& op, TensorSpan in) {
  return std::visit([&](const auto& o) { return o.infer(in); }, op);
}

void reference(const Op& op, ConstHostViews in, MutableHostViews out) {
  std::visit([&](const auto& o) { o.reference(in, out); }, op);
}

Cost cost(const Op& op, TensorSpan in) {
  return std::visit([&](const auto& o) { return o.cost(in); }, op);
}

Facts facts(const Op& op, TensorSpan in) {
  return std::visit([&](const auto& o) { return o.facts(in); }, op);
}

Tolerance tolerance(const Op& op, TensorSpan in, ActivationPrecision precision) {
  return std::visit([&](const auto& o) { return o.tolerance(in, precision); }, op);
}

void magnitude(const Op& op, ConstHostViews in, MutableHostViews want, MutableHostViews out) {
  std::visit(
      [&]<class T>(const T& o) {
        if constexpr (HasMagnitude<T>) {
          o.magnitude(in, out);
        } else {
          for (std::size_t i = 0; i < want.size(); ++i) absolute_values(as_const(want[i]), out[i]);
        }
      },
      op);
}

bool is_view(const Op& op) {
  return std::visit([]<class T>(const T&) { return ViewOpType<T>; }, op);
}

Result<View> view_of(const Op& op, const TensorDesc& in) {
  return std::visit(
      [&]<class T>(const T& o) -> Result<View> {
        if constexpr (ViewOpType<T>) {
          return o.view(in);
        } else {
          return fail(ErrorCode::internal, "{}: asked for a view, but it is no view op", T::name);
        }
      },
      op);
}

std::span<const Alias> aliases(const Op& op) {
  return std::visit(
      []<class T>(const T&) -> std::span<const Alias> {
        if constexpr (HasAliases<T>) {
          return T::aliases;
        } else {
          return {};
        }
      },
      op);
}

std::span<const Port> input_ports(const Op& op) {
  return std::visit([]<class T>(const T&) -> std::span<const Port> { return T::inputs; }, op);
}

std::span<const Port> output_ports(const Op& op) {
  return std::visit([]<class T>(const T&) -> std::span<const Port> { return T::outputs; }, op);
}

std::vector<AnySample> all_samples() {
  std::vector<AnySample> all;
  AllOps::for_each([&]<class T>() {
    for (Sample<T>& s : T::samples()) all.push_back({std::move(s.name), std::move(s.op), std::move(s.inputs)});
  });
  return all;
}

std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  AllOps::for_each([&]<class T>() { names.push_back(T::name); });
  return names;
}

Facts example_facts(std::string_view op_name) {
  Facts example;
  AllOps::for_each([&]<class T>() {
    if (T::name != op_name) return;
    const std::vector<Sample<T>> samples = T::samples();
    assert(!samples.empty());
    example = samples.front().op.facts(descs_of(samples.front()));
  });
  return example;
}

}  // namespace weft
