// Preparation of samples.
#include "core/conformance/sample_case.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/conformance/operand_roles.hpp"

namespace weft::conformance {
namespace {

void run_reference(SampleCase& sample, TensorSpan outputs) {
  std::vector<OwnedTensor> wants = make_outputs(sample.op, outputs, sample.inputs);
  for (OwnedTensor& want : wants) sample.expected.push_back({std::move(want), {}, {}});
  for (const Alias& alias : aliases(sample.op)) {
    const std::span<const std::byte> bytes = sample.inputs[alias.input].bytes();
    sample.expected[alias.output].before.assign(bytes.begin(), bytes.end());
  }
  std::vector<MutableHostView> out;
  std::vector<MutableHostView> sizes;
  for (Expected& e : sample.expected) {
    const TensorDesc& desc = e.want.desc();
    out.push_back(e.want.view());
    if (!is_float(desc.dtype)) {
      sizes.push_back({});
      continue;
    }
    e.magnitudes.resize(static_cast<std::size_t>(desc.shape.elements()));
    sizes.push_back({TensorDesc::dense(DType::f32, desc.shape), reinterpret_cast<std::byte*>(e.magnitudes.data())});
  }
  const std::vector<ConstHostView> in = input_views(sample.inputs);
  reference(sample.op, in, out);
  magnitude(sample.op, in, out, sizes);
}

Result<SampleCase> with_reference(const AnySample& sample, std::string name, std::vector<OwnedTensor> inputs) {
  SampleCase prepared;
  prepared.name = std::move(name);
  prepared.op = sample.op;
  prepared.inputs = std::move(inputs);
  const auto outputs = infer(sample.op, descs_of(prepared.inputs));
  if (!outputs) return error_of(outputs, fmt::format("sample \"{}\"", sample.name));
  run_reference(prepared, *outputs);
  return prepared;
}

void put_nan(const MutableHostView& view) {
  std::vector<float> row(static_cast<std::size_t>(view.width()));
  load_row(weft::as_const(view), 0, row);
  row[row.size() / 2] = std::numeric_limits<float>::quiet_NaN();
  store_row(view, 0, row);
}

/// The largest of an i32 operand's elements, or -1.
std::int32_t largest_integer(std::span<const std::byte> bytes) {
  std::vector<std::int32_t> numbers(bytes.size() / sizeof(std::int32_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers.empty() ? -1 : *std::ranges::max_element(numbers);
}

/// Rows of the longest sequence after the step.
std::int64_t longest_sequence(const SampleCase& sample) {
  const std::span<const Port> ports = input_ports(sample.op);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    const std::string_view name = port_of(ports, i).name;
    if (name == "kv_lengths") longest = std::max<std::int64_t>(longest, largest_integer(sample.inputs[i].bytes()));
    if (name == "positions") longest = std::max<std::int64_t>(longest, largest_integer(sample.inputs[i].bytes()) + 1);
  }
  return longest;
}

std::int64_t extra(Symbol symbol) {
  switch (symbol) {
    case Symbol::tokens:
    case Symbol::outputs: return 5;
    case Symbol::sequences: return 2;
    case Symbol::kv_rows: return 17;
    default: return 0;
  }
}

/// Whether operand `index` has a leading dimension that the step decides. A tensor that is broadcast over the step's
/// rows, or has no rows, has none.
bool is_stepped(const SampleCase& sample, std::size_t index, const Port& port) {
  const TensorDesc& desc = sample.inputs[index].desc();
  if (!desc.present() || is_weight(port)) return false;
  const bool of_activations = port.shape.find("…") != std::string_view::npos || port.shape.starts_with("any");
  if (!of_activations) return true;
  const Shape& first = sample.inputs[0].desc().shape;
  return desc.shape.rank() > 1 && desc.shape.rank() == first.rank() && desc.shape[0] == first[0];
}

}  // namespace

std::string_view name_of(Room room) { return room == Room::none ? "exact maxima" : "larger maxima"; }

Result<SampleCase> prepare(const AnySample& sample, std::uint64_t seed) {
  return with_reference(sample, sample.name, make_inputs(sample, seed));
}

std::optional<Result<SampleCase>> prepare_with_nan(const AnySample& sample, std::uint64_t seed) {
  constexpr std::int64_t largest = 4096;  // elements
  const auto cache = cache_spec_of(sample.op);
  if (cache && (is_quantised(cache->k_type) || is_quantised(cache->v_type))) return std::nullopt;
  const std::span<const Port> ports = input_ports(sample.op);
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    const TensorDesc& desc = sample.inputs[i].desc;
    if (!is_float(desc.dtype) || is_weight(port_of(ports, i))) continue;
    if (desc.shape.elements() == 0 || desc.shape.elements() > largest) return std::nullopt;
    std::vector<OwnedTensor> inputs = make_inputs(sample, seed);
    put_nan(inputs[i].view());
    return with_reference(sample, sample.name + ", with a NaN", std::move(inputs));
  }
  return std::nullopt;
}

Result<CallForm> form_of(const SampleCase& sample, Room room) {
  CallForm form;
  form.call.op = sample.op;
  form.call.inputs = descs_of(sample.inputs);
  const std::span<const Port> ports = input_ports(sample.op);
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    const Port& port = port_of(ports, i);
    if (!is_stepped(sample, i, port)) continue;
    const Symbol symbol = leading_symbol(port);
    Dim& leading = form.call.inputs[i].shape[0];
    form.symbols.set(symbol, leading.max);
    leading = Dim(leading.max + (room == Room::some ? extra(symbol) : 0), symbol);
  }
  form.symbols.set(Symbol::kv_len, longest_sequence(sample));
  auto outputs = infer(form.call.op, form.call.inputs);
  if (!outputs) return error_of(outputs, fmt::format("sample \"{}\" with symbols", sample.name));
  form.call.outputs = std::move(*outputs);
  return form;
}

}  // namespace weft::conformance
