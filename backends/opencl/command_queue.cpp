// Transfers, launches and times of a queue.
#include "backends/opencl/command_queue.hpp"

#include "backends/opencl/cl_error.hpp"
#include "backends/opencl/device_buffer.hpp"

namespace weft::opencl {
namespace {

class QueueEvent final : public Event {
 public:
  explicit QueueEvent(EventHandle event) : event_(std::move(event)) {}
  [[nodiscard]] cl_event get() const { return event_.get(); }

 private:
  EventHandle event_;
};

Status same_size(std::size_t target, std::size_t source) {
  if (target == source) return {};
  return fail(ErrorCode::invalid_argument, "a copy of {} bytes into {}", source, target);
}

}  // namespace

Result<std::unique_ptr<CommandQueue>> CommandQueue::make(std::shared_ptr<const DeviceContext> context,
                                                         const QueueOptions& options) {
  auto queue = context->make_queue(options.times);
  if (!queue) return error_of(queue);
  return std::unique_ptr<CommandQueue>(new CommandQueue(std::move(context), std::move(*queue), options.times));
}

// Buffers may go right after the queue: nothing must still be using them.
CommandQueue::~CommandQueue() { clFinish(queue_.get()); }

Status CommandQueue::upload(const BufferView& target, std::span<const std::byte> source) {
  const auto buffer = device_buffer(target, context());
  if (!buffer) return error_of(buffer, "upload");
  if (Status ok = same_size(target.bytes, source.size()); !ok) return error_of(ok, "upload");
  if (source.empty()) return {};
  return check(clEnqueueWriteBuffer(raw(), (*buffer)->memory(), CL_TRUE, target.offset, source.size(), source.data(), 0,
                                    nullptr, nullptr),
               "clEnqueueWriteBuffer");
}

Status CommandQueue::download(std::span<std::byte> target, const BufferView& source) {
  const auto buffer = device_buffer(source, context());
  if (!buffer) return error_of(buffer, "download");
  if (Status ok = same_size(target.size(), source.bytes); !ok) return error_of(ok, "download");
  if (target.empty()) return {};
  return check(clEnqueueReadBuffer(raw(), (*buffer)->memory(), CL_TRUE, source.offset, target.size(), target.data(), 0,
                                   nullptr, nullptr),
               "clEnqueueReadBuffer");
}

Status CommandQueue::copy(const BufferView& target, const BufferView& source) {
  const auto to = device_buffer(target, context());
  if (!to) return error_of(to, "copy");
  const auto from = device_buffer(source, context());
  if (!from) return error_of(from, "copy");
  if (Status ok = same_size(target.bytes, source.bytes); !ok) return error_of(ok, "copy");
  if (source.bytes == 0) return {};
  return check(clEnqueueCopyBuffer(raw(), (*from)->memory(), (*to)->memory(), source.offset, target.offset,
                                   source.bytes, 0, nullptr, nullptr),
               "clEnqueueCopyBuffer");
}

Result<std::unique_ptr<Event>> CommandQueue::record() {
  cl_event event = nullptr;
  if (Status ok = check(clEnqueueMarkerWithWaitList(raw(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList"); !ok) {
    return error_of(ok);
  }
  EventHandle handle(event);
  // Another queue may wait for it, and a command that was never flushed need not ever run.
  if (Status ok = check(clFlush(raw()), "clFlush"); !ok) return error_of(ok);
  return std::make_unique<QueueEvent>(std::move(handle));
}

Status CommandQueue::after(const Event& event) {
  const auto* own = dynamic_cast<const QueueEvent*>(&event);
  if (own == nullptr) return fail(ErrorCode::invalid_argument, "the event belongs to another backend");
  cl_event raw_event = own->get();
  return check(clEnqueueBarrierWithWaitList(raw(), 1, &raw_event, nullptr), "clEnqueueBarrierWithWaitList");
}

Status CommandQueue::finish() { return check(clFinish(raw()), "clFinish"); }

Status CommandQueue::launch(cl_kernel kernel, const LaunchShape& shape, const StepId& step) {
  cl_event event = nullptr;
  const cl_int code = clEnqueueNDRangeKernel(raw(), kernel, 3, nullptr, shape.global.data(), shape.local.data(), 0,
                                             nullptr, times_ ? &event : nullptr);
  if (event != nullptr) add_time(event, step);
  return check(code, "clEnqueueNDRangeKernel");
}

void CommandQueue::add_time(cl_event owned, const StepId& step) { timed_.push_back({EventHandle(owned), step}); }

std::vector<StepTime> CommandQueue::take_times() {
  std::vector<StepTime> times;
  for (const Timed& timed : timed_) {
    cl_ulong begin = 0;
    cl_ulong end = 0;
    const auto read = [&](cl_profiling_info what, cl_ulong& value) {
      return clGetEventProfilingInfo(timed.event.get(), what, sizeof(value), &value, nullptr) == CL_SUCCESS;
    };
    if (!read(CL_PROFILING_COMMAND_START, begin) || !read(CL_PROFILING_COMMAND_END, end)) continue;
    const double seconds = static_cast<double>(end - begin) * 1e-9;
    const bool same =
        !times.empty() && times.back().segment == timed.step.segment && times.back().step == timed.step.step;
    if (same) {
      times.back().seconds += seconds;
    } else {
      times.push_back({timed.step.segment, timed.step.step, seconds});
    }
  }
  timed_.clear();
  return times;
}

}  // namespace weft::opencl
