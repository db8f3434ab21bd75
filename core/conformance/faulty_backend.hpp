// A backend for tests of the engine: runs the references in host memory, with one fault of choice. It selects by rules,
// so the engine sees all that it sees of a real one.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/half.hpp"
#include "core/host_memory.hpp"
#include "core/rules/rule_set.hpp"
#include "core/sample_data.hpp"

namespace weft::conformance {

enum class Fault : std::uint8_t {
  none,
  leaves_one_element_unwritten,
  is_one_percent_off,
  writes_past_the_end,
  writes_before_the_start,
  changes_an_input,
  changes_a_constant,
  swallows_nan,
  moves_between_runs,
  scribbles_on_the_state,
  runs_the_maximum,  ///< takes a symbol's maximum for its value
  fails_to_compile,
  select_disagrees,
};

inline constexpr std::string_view faulty_rules = R"({"schema": 1, "op": "rms_norm", "rules": [
  {"when": {"phase": "decode"}, "use": "plain", "why": "a second rule for one kernel"},
  {"when": {"device.vendor": "elsewhere"}, "use": "foreign", "why": "another device's"},
  {"when": {}, "use": "plain", "why": "the floor"}]})";

class FaultyExecutable final : public Executable {
 public:
  FaultyExecutable(const Segment& segment, Fault fault) : segment_(segment), fault_(fault) {}
  [[nodiscard]] std::size_t id() const override { return 1; }
  [[nodiscard]] std::string description() const override { return "references with a fault"; }

  [[nodiscard]] Status enqueue(Queue& /*queue*/, Bindings bindings, const SymbolValues& symbols) const override {
    const SegmentStep& step = segment_.steps[0];
    std::vector<ConstHostView> in;
    std::vector<MutableHostView> out;
    for (const std::ptrdiff_t index : step.inputs) in.push_back(weft::as_const(view(index, bindings, symbols)));
    for (const std::ptrdiff_t index : step.outputs) out.push_back(view(index, bindings, symbols));
    reference(step.call.op, in, out);
    if (fault_ == Fault::changes_an_input) flip(const_cast<std::byte*>(in[0].data));
    if (fault_ == Fault::changes_a_constant) flip(const_cast<std::byte*>(in[1].data));
    spoil(step.call.op, out);
    ++runs_;
    return {};
  }

 private:
  MutableHostView view(std::ptrdiff_t index, Bindings bindings, const SymbolValues& symbols) const {
    if (index == no_value) return {};
    const SegmentValue& value = segment_.values[static_cast<std::size_t>(index)];
    const TensorDesc desc = fault_ == Fault::runs_the_maximum ? without_symbols(value.desc) : value.desc.at(symbols);
    if (value.constant) return {desc, const_cast<std::byte*>(value.constant->data.data())};
    const BufferView& binding = bindings[value.binding];
    return {desc, binding.buffer->host() + binding.offset + value.byte_offset};
  }

  static TensorDesc without_symbols(TensorDesc desc) {
    for (std::size_t i = 0; i < desc.shape.rank(); ++i) desc.shape[i] = Dim(desc.shape[i].max);
    return desc;
  }

  static void flip(std::byte* byte) { *byte ^= std::byte{0x01}; }

  void spoil(const Op& op, const std::vector<MutableHostView>& out) const {
    if (fault_ == Fault::scribbles_on_the_state) return flip(out.back().data);
    const std::size_t bytes = operand_bytes(op, out[0].desc);
    if (bytes == 0 || out[0].desc.dtype != DType::f32) return;
    auto* numbers = reinterpret_cast<float*>(out[0].data);
    const std::size_t count = bytes / sizeof(float);
    switch (fault_) {
      case Fault::leaves_one_element_unwritten: std::memset(numbers + count / 2, 0xFF, sizeof(float)); break;
      case Fault::is_one_percent_off: numbers[count - 1] *= 1.01F; break;
      case Fault::writes_past_the_end: flip(out[0].data + bytes); break;
      case Fault::writes_before_the_start: flip(out[0].data - 1); break;
      case Fault::moves_between_runs:
        if (runs_ > 0) flip(out[0].data);
        break;
      case Fault::swallows_nan:
        for (std::size_t i = 0; i < count; ++i) numbers[i] = std::isnan(numbers[i]) ? 0.0F : numbers[i];
        break;
      default: break;
    }
  }

  Segment segment_;
  Fault fault_;
  mutable int runs_ = 0;
};

class FaultyBackend final : public Backend {
 public:
  explicit FaultyBackend(Fault fault) : fault_(fault), rules_(make_rules()) { device_.vendor = "here"; }
  [[nodiscard]] std::string_view name() const override { return "faulty"; }
  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  [[nodiscard]] Result<Selection> select(const OpCall& call) const override {
    if (name_of(call.op) == "rms_norm") {
      auto selection = rules_.select("rms_norm", facts(call));
      if (selection && fault_ == Fault::select_disagrees) selection->kernel += "_other";
      return selection;
    }
    if (!runs_without_rules(call)) return fail(ErrorCode::unsupported, "faulty has no kernel for {}", name_of(call.op));
    Selection selection;
    selection.kernel = fmt::format("faulty/{}/plain", name_of(call.op));
    selection.rule = "faulty#1";
    return selection;
  }
  [[nodiscard]] std::vector<Selection> alternatives(const OpCall& call) const override {
    if (name_of(call.op) == "rms_norm") return rules_.alternatives("rms_norm", facts(call));
    auto only = select(call);
    return only ? std::vector<Selection>{std::move(*only)} : std::vector<Selection>{};
  }
  [[nodiscard]] std::span<const RuleTable> rules() const override { return rules_.tables(); }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    if (fault_ == Fault::fails_to_compile) return fail(ErrorCode::unsupported, "this kernel wants another width");
    return std::make_unique<FaultyExecutable>(segment, fault_);
  }
  [[nodiscard]] Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind /*kind*/) override {
    // Steps of the maximum's size reach beyond what they were given; the room is there to be seen, not to crash.
    constexpr std::size_t slack = 4 << 20;
    return HostBuffer::allocate(bytes + (fault_ == Fault::runs_the_maximum ? slack : 0));
  }
  [[nodiscard]] Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& /*options*/) override {
    return std::make_unique<HostQueue>();
  }
  [[nodiscard]] std::string path() const override { return "references"; }

 private:
  /// Softcap is left out, as an op that this backend doesn't have.
  static bool runs_without_rules(const OpCall& call) { return name_of(call.op) != "softcap"; }

  Facts facts(const OpCall& call) const {
    Facts all = facts_of(call);
    return all.merge("device.", facts_of(device_));
  }

  static RuleSet make_rules() {
    const std::vector<EmbeddedFile> files{{"faulty/rms_norm.json", faulty_rules}};
    auto rules = RuleSet::make("faulty", files, {}, [](std::string_view op) {
      RuleVocabulary words;
      words.facts = example_call_facts(op);
      words.facts.merge("device.", facts_of(DeviceInfo{}));
      words.choices = {"plain", "foreign"};
      return words;
    });
    return std::move(rules.value());
  }

  Fault fault_;
  DeviceInfo device_;
  RuleSet rules_;
};

}  // namespace weft::conformance
