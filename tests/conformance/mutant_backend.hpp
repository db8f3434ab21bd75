// A backend with one kernel, which is whatever a test says: right, or wrong in one way. Works in host memory.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/host_memory.hpp"

namespace weft::conformance {

/// One run of a kernel. Views may be changed in place: they are the kernel's own.
struct KernelRun {
  Op op;
  std::vector<ConstHostView> in;
  std::vector<MutableHostView> out;
  int number = 0;  ///< of this executable's runs, from 0
};
using Kernel = std::function<void(KernelRun)>;

inline void run_reference(const KernelRun& run) { reference(run.op, run.in, run.out); }

struct Mutant {
  std::string op;
  Kernel kernel;
  ActivationPrecision activations = ActivationPrecision::full;
  bool ignores_value_offset = false;    ///< SegmentValue::byte_offset
  bool ignores_binding_offset = false;  ///< BufferView::offset
  bool runs_the_maximum = false;        ///< takes a symbol's maximum for its value
};

inline void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.op; }

class MutantExecutable final : public Executable {
 public:
  MutantExecutable(const Segment& segment, const Mutant& mutant) : segment_(segment), mutant_(mutant) {}
  [[nodiscard]] std::size_t id() const override { return 1; }
  [[nodiscard]] std::string description() const override { return "one kernel of a test"; }

  [[nodiscard]] Status enqueue(Queue& /*queue*/, Bindings bindings, const SymbolValues& symbols) const override {
    const SegmentStep& step = segment_.steps[0];
    KernelRun run{step.call.op, {}, {}, runs_++};
    for (const std::ptrdiff_t index : step.inputs) run.in.push_back(weft::as_const(view(index, bindings, symbols)));
    for (const std::ptrdiff_t index : step.outputs) run.out.push_back(view(index, bindings, symbols));
    mutant_.kernel(std::move(run));
    return {};
  }

 private:
  MutableHostView view(std::ptrdiff_t index, Bindings bindings, const SymbolValues& symbols) const {
    if (index == no_value) return {};
    const SegmentValue& value = segment_.values[static_cast<std::size_t>(index)];
    TensorDesc desc = value.desc.at(symbols);
    if (mutant_.runs_the_maximum) {
      desc = value.desc;
      for (std::size_t i = 0; i < desc.shape.rank(); ++i) desc.shape[i] = Dim(desc.shape[i].max);
    }
    if (value.constant) return {desc, const_cast<std::byte*>(value.constant->data.data())};
    const BufferView& binding = bindings[value.binding];
    std::byte* data = binding.buffer->host();
    if (!mutant_.ignores_binding_offset) data += binding.offset;
    if (!mutant_.ignores_value_offset) data += value.byte_offset;
    return {desc, data};
  }

  Segment segment_;
  Mutant mutant_;
  mutable int runs_ = 0;
};

/// Runs the mutant's op and nothing else.
class MutantBackend final : public Backend {
 public:
  explicit MutantBackend(Mutant mutant, EmbeddedFile limits = {}) : mutant_(std::move(mutant)), limits_(limits) {
    device_.memory_domain = "host";
  }
  [[nodiscard]] std::string_view name() const override { return "mutant"; }
  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  [[nodiscard]] Result<Selection> select(const OpCall& call) const override {
    if (name_of(call.op) != mutant_.op) {
      return fail(ErrorCode::unsupported, "mutant has no kernel for {}", name_of(call.op));
    }
    Selection selection;
    selection.kernel = "mutant/" + mutant_.op + "/plain";
    selection.rule = "mutant#1";
    selection.activations = mutant_.activations;
    return selection;
  }
  [[nodiscard]] std::vector<Selection> alternatives(const OpCall& call) const override {
    auto only = select(call);
    return only ? std::vector<Selection>{std::move(*only)} : std::vector<Selection>{};
  }
  [[nodiscard]] std::span<const RuleTable> rules() const override { return {}; }
  [[nodiscard]] EmbeddedFile limits() const override { return limits_; }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    return std::make_unique<MutantExecutable>(segment, mutant_);
  }
  /// With room behind what was asked for, so that a kernel which goes too far is seen by the guards and not by the
  /// allocator.
  [[nodiscard]] Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind /*kind*/) override {
    constexpr std::size_t slack = 1 << 20;
    return HostBuffer::allocate(bytes + slack);
  }
  [[nodiscard]] Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& /*options*/) override {
    return std::make_unique<HostQueue>();
  }
  [[nodiscard]] std::string path() const override { return "one kernel of a test"; }

 private:
  Mutant mutant_;
  EmbeddedFile limits_;
  DeviceInfo device_;
};

}  // namespace weft::conformance
