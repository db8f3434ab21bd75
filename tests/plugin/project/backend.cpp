// A small backend that lives outside weft: a few ops as plain loops over rows in host memory.
// docs/writing-a-backend.md walks through it.
#include <array>
#include <atomic>
#include <cmath>

#include "core/host_memory.hpp"
#include "core/plugin.hpp"
#include "core/rules/rule_set.hpp"

namespace {

using namespace weft;

constexpr std::string_view elementwise_rules = R"("rules": [
  {"when": {"broadcast": 0}, "use": "rows", "why": "operands of one shape, row by row"}]})";

/// What conformance may find without a kernel, and why.
constexpr std::string_view limits_text = R"({"schema": 1, "limits": [
  {"op": {"not": ["rms_norm", "quant_matmul", "add", "mul"]}, "when": {}, "reason": "the example has four ops"},
  {"op": "rms_norm", "when": {"weight": 0}, "reason": "the example's norm reads a weight"},
  {"op": "quant_matmul", "when": {"bias": 1}, "reason": "the example's matmul has no bias"},
  {"op": "quant_matmul", "when": {"bias": 0, "weight": {"not": ["f32", "q4_1"]}},
   "reason": "two types show how weights are read"},
  {"op": ["add", "mul"], "when": {"broadcast": {"not": 0}}, "reason": "operands have one shape"}]})";

std::vector<float> row_of(const ConstHostView& view, std::int64_t index) {
  std::vector<float> row(static_cast<std::size_t>(view.width()));
  load_row(view, index, row);
  return row;
}

template <class Combine>
void combine_rows(ConstHostViews in, const MutableHostView& out, Combine combine) {
  for (std::int64_t r = 0; r < out.rows(); ++r) {
    std::vector<float> a = row_of(in[0], r);
    const std::vector<float> b = row_of(in[1], r);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = combine(a[i], b[i]);
    store_row(out, r, a);
  }
}

void run(const RmsNorm& op, ConstHostViews in, const MutableHostView& out) {
  for (std::int64_t r = 0; r < out.rows(); ++r) {
    std::vector<float> x = row_of(in[0], r);
    double squares = 0;
    for (const float v : x) squares += static_cast<double>(v) * v;
    const double factor = 1 / std::sqrt(squares / static_cast<double>(x.size()) + op.eps);
    const std::vector<float> weight = row_of(in[1], 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(x[i] * factor * (static_cast<double>(weight[i]) + op.weight_offset));
    }
    store_row(out, r, x);
  }
}

void run(const QuantMatmul& /*op*/, ConstHostViews in, const MutableHostView& out) {
  std::vector<std::vector<float>> y(static_cast<std::size_t>(out.rows()),
                                    std::vector<float>(static_cast<std::size_t>(out.width())));
  std::vector<std::vector<float>> x;
  for (std::int64_t t = 0; t < out.rows(); ++t) x.push_back(row_of(in[0], t));
  for (std::int64_t n = 0; n < in[1].rows(); ++n) {
    const std::vector<float> w = row_of(in[1], n);
    for (std::size_t t = 0; t < x.size(); ++t) {
      double sum = 0;
      for (std::size_t k = 0; k < w.size(); ++k) sum += static_cast<double>(x[t][k]) * w[k];
      y[t][static_cast<std::size_t>(n)] = static_cast<float>(sum);
    }
  }
  for (std::int64_t t = 0; t < out.rows(); ++t) store_row(out, t, y[static_cast<std::size_t>(t)]);
}

void run(const Op& op, ConstHostViews in, const MutableHostView& out) {
  if (const auto* norm = std::get_if<RmsNorm>(&op)) run(*norm, in, out);
  if (const auto* matmul = std::get_if<QuantMatmul>(&op)) run(*matmul, in, out);
  if (std::holds_alternative<Add>(op)) combine_rows(in, out, [](float a, float b) { return a + b; });
  if (std::holds_alternative<Mul>(op)) combine_rows(in, out, [](float a, float b) { return a * b; });
}

class ExampleExecutable final : public Executable {
 public:
  ExampleExecutable(const Segment& segment, std::size_t id) : segment_(segment), id_(id) {}
  std::size_t id() const override { return id_; }
  std::string description() const override { return fmt::format("{} loops", segment_.steps.size()); }

  Status enqueue(Queue& /*queue*/, Bindings bindings, const SymbolValues& symbols) const override {
    for (const SegmentStep& step : segment_.steps) {
      std::vector<ConstHostView> in;
      for (const std::ptrdiff_t index : step.inputs) {
        const auto view = place(index, bindings, symbols);
        if (!view) return error_of(view, step.name);
        in.push_back(weft::as_const(*view));
      }
      const auto out = place(step.outputs[0], bindings, symbols);
      if (!out) return error_of(out, step.name);
      run(step.call.op, in, *out);
    }
    return {};
  }

 private:
  Result<MutableHostView> place(std::ptrdiff_t index, Bindings bindings, const SymbolValues& symbols) const {
    if (index == no_value) return MutableHostView{};
    const SegmentValue& value = segment_.values[static_cast<std::size_t>(index)];
    const TensorDesc desc = value.desc.at(symbols);
    if (value.constant) return MutableHostView{desc, const_cast<std::byte*>(value.constant->data.data())};
    const auto bytes = host_bytes(bindings[value.binding]);
    if (!bytes) return error_of(bytes, value.name);
    return MutableHostView{desc, bytes->data() + value.byte_offset};
  }

  Segment segment_;
  std::size_t id_;
};

class ExampleBackend final : public Backend {
 public:
  ExampleBackend(DeviceInfo device, RuleSet rules) : device_(std::move(device)), rules_(std::move(rules)) {}
  std::string_view name() const override { return "example"; }
  const DeviceInfo& device() const override { return device_; }
  std::span<const RuleTable> rules() const override { return rules_.tables(); }
  EmbeddedFile limits() const override { return {"example/limits.json", limits_text}; }
  std::string path() const override { return "plain loops, 1 thread"; }
  Result<Selection> select(const OpCall& call) const override {
    return rules_.select(weft::name_of(call.op), facts_of(call));
  }
  std::vector<Selection> alternatives(const OpCall& call) const override {
    return rules_.alternatives(weft::name_of(call.op), facts_of(call));
  }
  Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    return std::make_unique<ExampleExecutable>(segment, next_id_++);
  }
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind /*kind*/) override {
    return HostBuffer::allocate(bytes);
  }
  Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& /*options*/) override {
    return std::make_unique<HostQueue>();
  }

 private:
  DeviceInfo device_;
  RuleSet rules_;
  std::atomic<std::size_t> next_id_ = 1;
};

Result<std::unique_ptr<Backend>> create(const BackendOptions& options) {
  const std::string add = fmt::format(R"({{"schema": 1, "op": "add", "floor": "none", {})", elementwise_rules);
  const std::string mul = fmt::format(R"({{"schema": 1, "op": "mul", "floor": "none", {})", elementwise_rules);
  const std::array files{
      EmbeddedFile{"example/rms_norm.json", R"({"schema": 1, "op": "rms_norm", "floor": "none", "rules": [
        {"when": {"weight": 1}, "use": "rows", "why": "one row after the other, with a weight"}]})"},
      EmbeddedFile{"example/quant_matmul.json", R"({"schema": 1, "op": "quant_matmul", "floor": "none", "rules": [
        {"when": {"weight": ["f32", "q4_1"], "bias": 0}, "use": "rows", "why": "each weight row is decoded once"}]})"},
      EmbeddedFile{"example/add.json", add}, EmbeddedFile{"example/mul.json", mul}};
  auto rules = RuleSet::make("example", files, options.rules, [](std::string_view op) {
    RuleVocabulary words;
    words.facts = example_call_facts(op);
    words.choices = {"rows"};
    return words;
  });
  if (!rules) return error_of(rules);
  DeviceInfo device;
  device.id = "Example";
  device.description = "plain loops on the host";
  device.memory_domain = "host";
  device.total_bytes = host_memory().total_bytes;
  device.max_allocation_bytes = device.total_bytes;
  return std::make_unique<ExampleBackend>(std::move(device), std::move(*rules));
}

}  // namespace

extern "C" const weft::BackendPlugin* weft_backend_plugin() {
  static const weft::BackendPlugin plugin = weft::describe_backend("example", create);
  return &plugin;
}
