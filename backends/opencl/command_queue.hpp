// An in-order OpenCL queue as a weft Queue.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/opencl/device_context.hpp"
#include "core/backend.hpp"

namespace weft::opencl {

/// Which step a launch belongs to, for times.
struct StepId {
  std::size_t segment = 0;
  std::size_t step = 0;
};

/// A kernel launch in up to three dimensions; `global` is a multiple of `local`.
struct LaunchShape {
  std::array<std::size_t, 3> global{1, 1, 1};
  std::array<std::size_t, 3> local{1, 1, 1};
};

class CommandQueue final : public Queue {
 public:
  [[nodiscard]] static Result<std::unique_ptr<CommandQueue>> make(std::shared_ptr<const DeviceContext> context,
                                                                  const QueueOptions& options);
  ~CommandQueue() override;
  [[nodiscard]] Status upload(const BufferView& target, std::span<const std::byte> source) override;
  [[nodiscard]] Status download(std::span<std::byte> target, const BufferView& source) override;
  [[nodiscard]] Status copy(const BufferView& target, const BufferView& source) override;
  [[nodiscard]] Result<std::unique_ptr<Event>> record() override;
  [[nodiscard]] Status after(const Event& event) override;
  [[nodiscard]] Status finish() override;
  [[nodiscard]] std::vector<StepTime> take_times() override;

  [[nodiscard]] Status launch(cl_kernel kernel, const LaunchShape& shape, const StepId& step);
  /// For libraries that enqueue by themselves: the queue, and where to put their event (null without times).
  [[nodiscard]] cl_command_queue raw() const { return queue_.get(); }
  [[nodiscard]] bool times() const { return times_; }
  void add_time(cl_event owned, const StepId& step);
  [[nodiscard]] cl_context context() const { return context_->context(); }

 private:
  struct Timed {
    EventHandle event;
    StepId step;
  };
  CommandQueue(std::shared_ptr<const DeviceContext> context, QueueHandle queue, bool times)
      : context_(std::move(context)), queue_(std::move(queue)), times_(times) {}
  std::shared_ptr<const DeviceContext> context_;
  QueueHandle queue_;
  bool times_;
  std::vector<Timed> timed_;
};

}  // namespace weft::opencl
