// The interpreter: every base value has memory of its own, views and in-place results look into it.
#include "graph/fuzz/host_run.hpp"

#include <cstring>

#include "core/half.hpp"
#include "core/sample_data.hpp"
#include "graph/fuzz/generator.hpp"
#include "graph/index.hpp"

namespace weft::graph::fuzz {
namespace {

double number_at(DType type, const std::byte* at) {
  float real = 0;
  std::int32_t whole = 0;
  std::uint16_t half = 0;
  if (type == DType::f16) {
    std::memcpy(&half, at, 2);
    return f16_to_f32(half);
  }
  if (type == DType::i32) {
    std::memcpy(&whole, at, 4);
    return whole;
  }
  std::memcpy(&real, at, 4);
  return real;
}

void set_number(DType type, std::byte* at, double number) {
  const float real = static_cast<float>(number);
  const std::uint16_t half = f32_to_f16(real);
  if (type == DType::f16) {
    std::memcpy(at, &half, 2);
  } else {
    std::memcpy(at, &real, 4);
  }
}

}  // namespace

SymbolValues step_symbols() {
  SymbolValues symbols;
  symbols.set(Symbol::tokens, step_tokens)
      .set(Symbol::sequences, 1)
      .set(Symbol::outputs, 1)
      .set(Symbol::kv_len, step_tokens)
      .set(Symbol::kv_rows, step_tokens);
  return symbols;
}

std::vector<double> as_numbers(DType type, std::span<const std::byte> bytes) {
  const std::size_t size = type == DType::f16 ? 2 : 4;
  std::vector<double> numbers(bytes.size() / size);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number_at(type, &bytes[i * size]);
  return numbers;
}

std::size_t state_bytes(const Graph& graph, const std::vector<Storage>& storage, std::size_t state) {
  const auto users = state_users(graph, storage);
  for (const NodeId n : users[state]) {
    if (const auto spec = cache_spec_of(graph.node(n).op)) return cache_planes(*spec, step_tokens).bytes;
  }
  return 0;
}

Result<HostRun> HostRun::run(const Graph& graph, std::span<const Bytes> inputs, std::mt19937_64* random) {
  HostRun run(graph);
  auto storage = resolve_storage(graph);
  if (!storage) return error_of(storage);
  run.storage_ = std::move(*storage);
  run.memory_.resize(graph.values.size());
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const Value& value = graph.values[v];
    if (value.kind == ValueKind::computed && run.storage_[v].base == static_cast<ValueId>(v))
      run.memory_[v].resize(value.desc.at(step_symbols()).bytes());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) run.memory_[static_cast<std::size_t>(graph.inputs[i])] = inputs[i];
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    run.memory_[static_cast<std::size_t>(graph.states[s])].resize(state_bytes(graph, run.storage_, s));
  }
  for (const Node& node : graph.nodes) {
    if (!is_view(node.op)) run.step(node, random);
  }
  return run;
}

MutableHostView HostRun::view(ValueId value) {
  const Value& v = graph_->value(value);
  const Storage& at = storage_[static_cast<std::size_t>(value)];
  const Value& base = graph_->value(at.base);
  std::byte* data = base.constant ? const_cast<std::byte*>(base.constant->data.data())  // references only read it
                                  : memory_[static_cast<std::size_t>(at.base)].data();
  return {v.desc.at(step_symbols()), data + at.byte_offset};
}

void HostRun::step(const Node& node, std::mt19937_64* random) {
  std::vector<ConstHostView> in;
  std::vector<MutableHostView> out;
  TensorDescs descs;
  for (const ValueId v : node.inputs) {
    in.push_back(v == absent_value ? ConstHostView{} : weft::as_const(view(v)));
    descs.push_back(in.back().desc);
  }
  for (const ValueId v : node.outputs) out.push_back(view(v));
  reference(node.op, in, out);
  const DType type = out.front().desc.dtype;
  if (random == nullptr || !aliases(node.op).empty() || (type != DType::f32 && type != DType::f16)) return;
  const Tolerance allowed = tolerance(node.op, descs, ActivationPrecision::full);
  const TensorDesc flat = TensorDesc::dense(DType::f32, out.front().desc.shape);
  OwnedTensor size(flat);
  const std::vector<MutableHostView> sizes{size.view()};
  magnitude(node.op, in, out, sizes);
  const std::vector<double> magnitudes = as_numbers(DType::f32, size.bytes());
  const std::size_t bytes = type == DType::f16 ? 2 : 4;
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    std::byte* at = out.front().data + i * bytes;
    const double most = allowed.absolute + allowed.relative * magnitudes[i];
    set_number(type, at, number_at(type, at) + ((*random)() & 1U ? most : -most));
  }
}

std::vector<double> HostRun::numbers(ValueId value) const {
  const Storage& at = storage_[static_cast<std::size_t>(value)];
  const TensorDesc desc = graph_->value(value).desc.at(step_symbols());
  return as_numbers(desc.dtype,
                    std::span(memory_[static_cast<std::size_t>(at.base)]).subspan(at.byte_offset, desc.bytes()));
}

}  // namespace weft::graph::fuzz
