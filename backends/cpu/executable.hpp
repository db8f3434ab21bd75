// A compiled segment: its steps, and where barriers must stand between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/kernel.hpp"
#include "backends/cpu/weight_store.hpp"
#include "backends/cpu/worker_pool.hpp"
#include "core/backend.hpp"
#include "core/host_memory.hpp"

namespace weft::cpu {

/// What all executables and queues of a backend share; kept alive by each of them.
struct SharedContext {
  SharedContext(int threads, WeightLayouts layouts) : pool(threads), weights(std::move(layouts), pool) {}
  WorkerPool pool;
  WeightStore weights;
  std::vector<Kernel> kernels;
};

/// Work happens inside enqueue(); times are kept until they are taken.
class CpuQueue final : public HostQueue {
 public:
  CpuQueue(std::shared_ptr<SharedContext> context, const QueueOptions& options)
      : context_(std::move(context)), options_(options) {}
  [[nodiscard]] bool wants_times() const { return options_.times; }
  void add_time(const StepTime& time) { times_.push_back(time); }
  [[nodiscard]] std::vector<StepTime> take_times() override { return std::exchange(times_, {}); }

 private:
  std::shared_ptr<SharedContext> context_;
  QueueOptions options_;
  std::vector<StepTime> times_;
};

[[nodiscard]] Result<std::unique_ptr<Executable>> compile_segment(const std::shared_ptr<SharedContext>& context,
                                                                  const Segment& segment, std::size_t id);

}  // namespace weft::cpu
