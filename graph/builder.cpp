// Named calls become nodes; shapes are inferred at once, so that a mistake is reported where it was made.
#include "graph/builder.hpp"

#include <algorithm>

#include "graph/index.hpp"
#include "graph/verify.hpp"

namespace weft::graph {

void GraphBuilder::enter_layer(int layer, std::string prefix) {
  layer_ = layer;
  prefix_ = std::move(prefix);
}

void GraphBuilder::leave_layer() {
  layer_ = -1;
  prefix_.clear();
}

ValueId GraphBuilder::add_value(Value value) {
  graph_.values.push_back(std::move(value));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId GraphBuilder::add_step_value(std::string name, const TensorDesc& desc, ValueKind kind) {
  if (error_) return absent_value;
  const std::string_view what = kind == ValueKind::state ? "state" : "input";
  if (!desc.present()) {
    fail_with({ErrorCode::invalid_argument, fmt::format("{} {} has no type", what, name)});
    return absent_value;
  }
  if (!names_.insert(name).second) {
    fail_with({ErrorCode::invalid_argument, fmt::format("{} {}: the name is taken; names are unique", what, name)});
    return absent_value;
  }
  const ValueId id = add_value({std::move(name), desc, kind, nullptr, no_node});
  (kind == ValueKind::state ? graph_.states : graph_.inputs).push_back(id);
  return id;
}

ValueId GraphBuilder::input(std::string name, const TensorDesc& desc) {
  return add_step_value(std::move(name), desc, ValueKind::input);
}

ValueId GraphBuilder::state(std::string name, const TensorDesc& desc) {
  return add_step_value(std::move(name), desc, ValueKind::state);
}

ValueId GraphBuilder::constant(std::shared_ptr<const HostTensor> tensor) {
  if (error_ || !tensor) return absent_value;
  const auto known = constants_.find(tensor.get());
  if (known != constants_.end()) return known->second;
  const HostTensor* key = tensor.get();
  const ValueId id = add_value({key->name, key->desc, ValueKind::constant, std::move(tensor), no_node});
  constants_.emplace(key, id);
  return id;
}

ValueId GraphBuilder::embed(std::string_view name, ValueId ids, ValueId table, float scale) {
  Embed op;
  op.scale = scale;
  return add_node(name, op, {ids, table}).front();
}

ValueId GraphBuilder::rms_norm(std::string_view name, ValueId x, ValueId weight, float eps) {
  RmsNorm op;
  op.eps = eps;
  return add_node(name, op, {x, weight}).front();
}

ValueId GraphBuilder::quant_matmul(std::string_view name, ValueId x, ValueId w, ValueId bias) {
  return add_node(name, QuantMatmul{}, {x, w, bias}).front();
}

ValueId GraphBuilder::rope(std::string_view name, ValueId x, ValueId positions, const RopeSpec& spec,
                           ValueId divisors) {
  Rope op;
  op.spec = spec;
  return add_node(name, op, {x, positions, divisors}).front();
}

ValueId GraphBuilder::kv_append(std::string_view name, ValueId k, ValueId v, const BatchInputs& batch, ValueId cache,
                                const CacheSpec& spec) {
  KvAppend op;
  op.cache = spec;
  return add_node(name, op, {k, v, batch.positions, batch.sequences, batch.kv_table, cache}).front();
}

ValueId GraphBuilder::attention(std::string_view name, ValueId q, const BatchInputs& batch, ValueId cache,
                                const Attention& attributes, ValueId sinks) {
  return add_node(name, attributes,
                  {q, batch.positions, batch.sequences, batch.kv_table, batch.kv_lengths, cache, sinks})
      .front();
}

ValueId GraphBuilder::add(std::string_view name, ValueId a, ValueId b) { return add_node(name, Add{}, {a, b}).front(); }

ValueId GraphBuilder::mul(std::string_view name, ValueId a, ValueId b) { return add_node(name, Mul{}, {a, b}).front(); }

ValueId GraphBuilder::scale(std::string_view name, ValueId x, float factor) {
  Scale op;
  op.factor = factor;
  return add_node(name, op, {x}).front();
}

ValueId GraphBuilder::softcap(std::string_view name, ValueId x, float cap) {
  Softcap op;
  op.cap = cap;
  return add_node(name, op, {x}).front();
}

ValueId GraphBuilder::glu(std::string_view name, ValueId gate, ValueId up, ActivationKind activation) {
  Glu op;
  op.activation = activation;
  return add_node(name, op, {gate, up}).front();
}

ValueId GraphBuilder::activation(std::string_view name, ValueId x, ActivationKind activation) {
  Activation op;
  op.activation = activation;
  return add_node(name, op, {x}).front();
}

ValueId GraphBuilder::cast(std::string_view name, ValueId x, DType to) {
  Cast op;
  op.to = to;
  return add_node(name, op, {x}).front();
}

ValueId GraphBuilder::reshape(ValueId x, const Shape& shape) {
  Reshape op;
  op.shape = shape;
  return add_view("reshape", x, op);
}

ValueId GraphBuilder::slice(ValueId x, std::int64_t axis, std::int64_t begin, std::int64_t length) {
  Slice op;
  op.axis = axis;
  op.begin = begin;
  op.length = length;
  return add_view("slice", x, op);
}

ValueId GraphBuilder::argmax(std::string_view name, ValueId x) { return add_node(name, Argmax{}, {x}).front(); }

bool GraphBuilder::knows(ValueId value) const {
  return value >= 0 && static_cast<std::size_t>(value) < graph_.values.size();
}

std::string GraphBuilder::free_name(std::string_view base) const {
  std::string name(base);
  for (int i = 2; names_.contains(name); ++i) name = fmt::format("{}.{}", base, i);
  return name;
}

ValueId GraphBuilder::add_view(std::string_view suffix, ValueId x, const Op& op) {
  const std::string base = fmt::format("{}.{}", knows(x) ? graph_.value(x).name : std::string(prefix_), suffix);
  // The value's name has the layer's prefix already.
  const std::string prefix = std::exchange(prefix_, {});
  const ValueId y = add_node(free_name(base), op, {x}).front();
  prefix_ = prefix;
  return y;
}

std::vector<ValueId> GraphBuilder::add_node(std::string_view name, const Op& op, std::vector<ValueId> inputs) {
  const std::span<const Port> ports = input_ports(op);
  std::vector<ValueId> outputs(output_ports(op).size(), absent_value);
  if (error_) return outputs;
  std::string full = prefix_ + std::string(name);
  const auto refuse = [&](const Error& error) {
    fail_with(error.within(full));
    return outputs;
  };
  // Absent operands at the end may be left out; in the graph every operand has its place.
  const bool repeats = !ports.empty() && ports.back().kind == PortKind::repeated;
  if (!repeats && inputs.size() < ports.size()) inputs.resize(ports.size(), absent_value);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == absent_value || knows(inputs[i])) continue;
    return refuse({ErrorCode::invalid_argument, fmt::format("{}: operand {} names value {}, the graph has {}",
                                                            name_of(op), i, inputs[i], graph_.values.size())});
  }
  const auto descs = infer(op, descs_of(graph_, inputs));
  if (!descs) return refuse(descs.error());
  if (!names_.insert(full).second) {
    return refuse({ErrorCode::invalid_argument, "the name is taken; names are unique"});
  }
  outputs.clear();
  const auto node = static_cast<NodeId>(graph_.nodes.size());
  for (std::size_t i = 0; i < descs->size(); ++i) {
    std::string value_name = descs->size() == 1 ? full : fmt::format("{}.{}", full, i);
    outputs.push_back(add_value({std::move(value_name), (*descs)[i], ValueKind::computed, nullptr, node}));
  }
  graph_.nodes.push_back({op, std::move(inputs), outputs, std::move(full), layer_});
  return outputs;
}

void GraphBuilder::output(ValueId value) {
  if (error_) return;
  if (!knows(value)) {
    return fail_with(
        {ErrorCode::invalid_argument, fmt::format("output names value {}, which is not in the graph", value)});
  }
  graph_.outputs.push_back(value);
}

const TensorDesc& GraphBuilder::desc(ValueId value) const {
  static constexpr TensorDesc absent{};
  return knows(value) ? graph_.value(value).desc : absent;
}

void GraphBuilder::fail_with(Error error) {
  if (!error_) error_ = std::move(error);
}

Result<Graph> GraphBuilder::finish() {
  if (error_) return tl::unexpected<Error>(*error_);
  if (graph_.outputs.empty()) return fail(ErrorCode::invalid_argument, "the graph has no output");
  if (Status ok = verify(graph_); !ok) return error_of(ok);
  return std::move(graph_);
}

}  // namespace weft::graph
