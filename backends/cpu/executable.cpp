// One parallel region walks all steps of a segment. Pointers are resolved before it starts.
#include "backends/cpu/executable.hpp"

#include <algorithm>
#include <chrono>

namespace weft::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// An operand's place: a constant's bytes, or a position in a binding; neither for absent operands.
struct Place {
  const std::byte* constant = nullptr;
  std::ptrdiff_t binding = -1;
  std::size_t offset = 0;
  std::size_t bytes = 0;  ///< at the maxima; of states the whole binding
};

struct CompiledStep {
  std::unique_ptr<Step> step;
  std::vector<Place> places;  ///< inputs, then outputs
  std::size_t inputs = 0;
  std::size_t first_pointer = 0;  ///< into the pointer table
  std::size_t scratch = 0;
  std::size_t scratch_bytes = 0;
  bool barrier_before = false;
};

bool overlap(const Place& a, const Place& b) {
  return a.binding >= 0 && a.binding == b.binding && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

/// True where one of the steps writes what the other reads or writes.
bool depends(const CompiledStep& earlier, const CompiledStep& later) {
  for (std::size_t i = 0; i < earlier.places.size(); ++i) {
    for (std::size_t j = 0; j < later.places.size(); ++j) {
      const bool writes = i >= earlier.inputs || j >= later.inputs;
      if (writes && overlap(earlier.places[i], later.places[j])) return true;
    }
  }
  return false;
}

/// Sets barriers between dependent steps; steps without one between them may run at once and get scratch of their own.
std::size_t plan_barriers(std::vector<CompiledStep>& steps) {
  std::size_t scratch = 0;
  std::size_t group = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    bool dependent = false;
    for (std::size_t j = group; j < i; ++j) dependent = dependent || depends(steps[j], steps[i]);
    if (dependent) {
      steps[i].barrier_before = true;
      group = i;
      used = 0;
    }
    steps[i].scratch = used;
    used += steps[i].scratch_bytes;
    scratch = std::max(scratch, used);
  }
  return scratch;
}

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(std::shared_ptr<SharedContext> context, std::vector<CompiledStep> steps, std::size_t bindings,
                std::vector<std::shared_ptr<const HostTensor>> constants, std::size_t id)
      : context_(std::move(context)),
        steps_(std::move(steps)),
        bindings_(bindings),
        constants_(std::move(constants)),
        id_(id) {}

  Status prepare() {
    scratch_bytes_ = plan_barriers(steps_);
    auto scratch = HostBuffer::allocate(scratch_bytes_);
    if (!scratch) return error_of(scratch, "scratch of a segment");
    scratch_ = std::move(*scratch);
    std::size_t pointers = 0;
    for (CompiledStep& s : steps_) {
      s.first_pointer = pointers;
      pointers += s.places.size();
    }
    pointers_.resize(pointers);
    counters_ = std::vector<UnitCounter>(steps_.size() * max_phases);
    marks_.resize(steps_.size() + 1);
    return {};
  }

  Status enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const override {
    if (Status ok = resolve(bindings); !ok) return ok;
    for (UnitCounter& counter : counters_) counter.next.store(0, std::memory_order_relaxed);
    auto* timed = dynamic_cast<CpuQueue*>(&queue);
    const bool times = timed != nullptr && timed->wants_times();
    auto job = [&](const TeamMember& member) { walk(member, symbols, times); };
    context_->pool.run(job);
    if (!times) return {};
    marks_.back() = Clock::now();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      timed->add_time({id_, i, std::chrono::duration<double>(marks_[i + 1] - marks_[i]).count()});
    }
    return {};
  }

  std::size_t resident_bytes() const override {
    std::size_t bytes = scratch_bytes_;
    for (const CompiledStep& s : steps_) bytes += s.step->packed_bytes();
    return bytes;
  }
  std::size_t id() const override { return id_; }
  std::string description() const override {
    const auto barriers = std::ranges::count_if(steps_, &CompiledStep::barrier_before);
    return fmt::format("1 parallel region of {} steps, {} barriers between them", steps_.size(), barriers);
  }

 private:
  Status resolve(Bindings bindings) const {
    if (bindings.size() != bindings_) {
      return fail(ErrorCode::invalid_argument, "cpu: segment has {} bindings, {} were given", bindings_,
                  bindings.size());
    }
    for (const CompiledStep& s : steps_) {
      for (std::size_t i = 0; i < s.places.size(); ++i) {
        const Place& p = s.places[i];
        std::byte* pointer = const_cast<std::byte*>(p.constant);  // inputs only, which steps don't write
        if (p.binding >= 0) {
          const BufferView& view = bindings[static_cast<std::size_t>(p.binding)];
          std::byte* base = view.buffer == nullptr ? nullptr : view.buffer->host();
          if (base == nullptr) {
            return fail(ErrorCode::invalid_argument, "cpu: binding {} is no host memory", p.binding);
          }
          pointer = base + view.offset + p.offset;
        }
        pointers_[s.first_pointer + i] = pointer;
      }
    }
    return {};
  }

  /// What each member of the team does. With times on, a step ends at a barrier of its own and the caller's clock is
  /// read there; the steps and their order stay the same.
  void walk(const TeamMember& member, const SymbolValues& symbols, bool times) const {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const CompiledStep& s = steps_[i];
      if (i > 0 && (s.barrier_before || times)) member.barrier->wait();
      if (times && member.worker == 0) marks_[i] = Clock::now();
      const std::span<std::byte* const> pointers(pointers_.data() + s.first_pointer, s.places.size());
      StepContext c{.worker = member.worker,
                    .workers = member.workers,
                    .inputs = pointers.first(s.inputs),
                    .outputs = pointers.subspan(s.inputs),
                    .scratch = scratch_->host() + s.scratch,
                    .symbols = &symbols};
      const int phases = s.step->phases(symbols);
      for (c.phase = 0; c.phase < phases; ++c.phase) {
        if (c.phase > 0) member.barrier->wait();
        c.units = &counters_[i * max_phases + static_cast<std::size_t>(c.phase)];
        s.step->run(c);
      }
    }
  }

  std::shared_ptr<SharedContext> context_;
  std::vector<CompiledStep> steps_;
  std::size_t bindings_ = 0;
  std::vector<std::shared_ptr<const HostTensor>> constants_;
  std::size_t id_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<Buffer> scratch_;
  // State of the run in progress: an executable is enqueued from one queue at a time.
  mutable std::vector<std::byte*> pointers_;
  mutable std::vector<UnitCounter> counters_;
  mutable std::vector<Clock::time_point> marks_;
};

Place place_of(const Segment& segment, std::ptrdiff_t index) {
  if (index == no_value) return {};
  const SegmentValue& value = segment.values[static_cast<std::size_t>(index)];
  if (value.constant) return {.constant = value.constant->data.data(), .bytes = value.constant->data.size()};
  const std::size_t bytes = value.desc.dtype == DType::state ? SIZE_MAX / 2 : value.desc.bytes();
  return {nullptr, static_cast<std::ptrdiff_t>(value.binding), value.byte_offset, bytes};
}

StepOperand operand_of(const Segment& segment, std::ptrdiff_t index) {
  if (index == no_value) return {TensorDesc::absent(), nullptr};
  const SegmentValue& value = segment.values[static_cast<std::size_t>(index)];
  return {value.desc, value.constant};
}

Result<CompiledStep> compile_step(SharedContext& context, const Segment& segment, const SegmentStep& step) {
  const auto kernel = std::ranges::find(context.kernels, step.selection.kernel, &Kernel::name);
  if (kernel == context.kernels.end()) {
    return fail(ErrorCode::invalid_argument, "cpu: there is no kernel {} for step {}", step.selection.kernel,
                step.name);
  }
  StepPlan plan;
  plan.step = &step;
  plan.workers = context.pool.threads();
  plan.weights = &context.weights;
  CompiledStep compiled;
  compiled.inputs = step.inputs.size();
  for (const std::ptrdiff_t index : step.inputs) {
    plan.inputs.push_back(operand_of(segment, index));
    compiled.places.push_back(place_of(segment, index));
  }
  for (const std::ptrdiff_t index : step.outputs) {
    plan.outputs.push_back(operand_of(segment, index));
    compiled.places.push_back(place_of(segment, index));
  }
  auto made = kernel->make(plan);
  if (!made) return error_of(made, step.name);
  compiled.step = std::move(*made);
  compiled.scratch_bytes = plan.scratch_bytes();
  return compiled;
}

}  // namespace

Result<std::unique_ptr<Executable>> compile_segment(const std::shared_ptr<SharedContext>& context,
                                                    const Segment& segment, std::size_t id) {
  std::vector<CompiledStep> steps;
  for (const SegmentStep& step : segment.steps) {
    auto compiled = compile_step(*context, segment, step);
    if (!compiled) return error_of(compiled);
    steps.push_back(std::move(*compiled));
  }
  std::vector<std::shared_ptr<const HostTensor>> constants;
  for (const SegmentValue& value : segment.values) {
    if (value.constant) constants.push_back(value.constant);
  }
  auto executable =
      std::make_unique<CpuExecutable>(context, std::move(steps), segment.bindings, std::move(constants), id);
  if (Status ok = executable->prepare(); !ok) return error_of(ok);
  return executable;
}

}  // namespace weft::cpu
