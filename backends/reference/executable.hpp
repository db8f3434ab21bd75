// A segment run step by step with each op's reference.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/host_memory.hpp"

namespace weft::reference_backend {

/// Steps run inside Executable::enqueue. Keeps their times where asked for.
class ReferenceQueue final : public HostQueue {
 public:
  explicit ReferenceQueue(const QueueOptions& options) : times_wanted_(options.times) {}
  [[nodiscard]] bool times_wanted() const { return times_wanted_; }
  void add_time(const StepTime& time) { times_.push_back(time); }
  [[nodiscard]] std::vector<StepTime> take_times() override { return std::exchange(times_, {}); }

 private:
  bool times_wanted_ = false;
  std::vector<StepTime> times_;
};

/// Views of all operands are built once; enqueue fills in addresses and the values of symbols.
class ReferenceExecutable final : public Executable {
 public:
  /// Errors: invalid_argument (an operand's index beyond the segment's values, a value's binding beyond its bindings).
  [[nodiscard]] static Result<std::unique_ptr<Executable>> make(const Segment& segment, std::size_t id);
  [[nodiscard]] Status enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const override;
  [[nodiscard]] std::size_t id() const override { return id_; }
  [[nodiscard]] std::string description() const override;

 private:
  struct Step {
    Op op;
    std::vector<std::ptrdiff_t> inputs;
    std::vector<std::ptrdiff_t> outputs;
    std::vector<ConstHostView> input_views;
    std::vector<MutableHostView> output_views;
  };
  ReferenceExecutable(const Segment& segment, std::size_t id);
  Status place_values(Bindings bindings, const SymbolValues& symbols) const;
  void run(Step& step) const;

  std::size_t id_ = 0;
  std::size_t bindings_ = 0;
  std::vector<SegmentValue> values_;
  // Written by enqueue, which runs on one queue at a time.
  mutable std::vector<MutableHostView> placed_;
  mutable std::vector<Step> steps_;
};

}  // namespace weft::reference_backend
