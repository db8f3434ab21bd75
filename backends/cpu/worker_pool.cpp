// Teams form by arrival: the caller opens a gate, workers count themselves in, the caller closes it after a short wait.
#include "backends/cpu/worker_pool.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>

namespace weft::cpu {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto idle_time = std::chrono::milliseconds(2);            // how long a worker looks for the next job
constexpr auto longest_patience = std::chrono::microseconds(1000);  // how long a caller waits for workers
constexpr auto shortest_patience = std::chrono::microseconds(20);
constexpr auto longest_farewell = std::chrono::seconds(2);  // how long the pool's end waits for workers to leave

// The gate's word: epoch << 16 | closed << 15 | members.
constexpr std::uint64_t closed_bit = 1U << 15;
constexpr std::uint64_t members_mask = closed_bit - 1;
std::uint64_t epoch_of(std::uint64_t gate) { return gate >> 16; }
int members_of(std::uint64_t gate) { return static_cast<int>(gate & members_mask); }

}  // namespace

struct WorkerPool::Shared {
  int threads = 1;
  JobRef job;
  Barrier barrier;
  alignas(cache_line) std::atomic<std::uint64_t> gate{closed_bit};
  alignas(cache_line) std::atomic<std::uint64_t> team{0};  // epoch << 16 | members, once the gate is closed
  alignas(cache_line) std::atomic<int> present{0};         // workers that run or are on their way
  std::atomic<bool> stop{false};
  std::mutex one_job_at_a_time;
  std::chrono::microseconds patience = longest_patience;

  /// A place in the team of the gate's epoch, if it is open and later than `seen`.
  std::optional<int> join(std::uint64_t seen) {
    std::uint64_t now = gate.load();
    while (epoch_of(now) > seen && (now & closed_bit) == 0 && members_of(now) < threads) {
      if (gate.compare_exchange_weak(now, now + 1)) return members_of(now);
    }
    return std::nullopt;
  }

  void take_part(int worker, std::uint64_t epoch) {
    Spinner spinner;
    std::uint64_t decided = team.load(std::memory_order_acquire);
    while (epoch_of(decided) != epoch) {
      spinner.wait();
      decided = team.load(std::memory_order_acquire);
    }
    job.call(job.object, {worker, members_of(decided), &barrier});
    barrier.wait();
  }

  /// Works until nothing came for a while. Leaving and the caller's look at `present` are ordered so that one of both
  /// sees the other: a job that opens meanwhile is still joined, or the caller sends for a new worker.
  void work() {
    std::uint64_t seen = 0;
    while (!stop.load()) {
      if (!wait_and_join(seen)) {
        present.fetch_sub(1);
        const std::uint64_t now = gate.load();
        const bool missed = epoch_of(now) > seen && (now & closed_bit) == 0;
        if (!missed || stop.load()) return;
        present.fetch_add(1);
      }
    }
    present.fetch_sub(1);
  }

  /// True when a job was done; false when none came in time.
  bool wait_and_join(std::uint64_t& seen) {
    const auto until = Clock::now() + idle_time;
    Spinner spinner;
    while (!stop.load(std::memory_order_relaxed)) {
      if (const auto worker = join(seen)) {
        seen = epoch_of(gate.load());
        take_part(*worker, seen);
        return true;
      }
      spinner.wait();
      if (!spinner.patient() && Clock::now() > until) return false;
    }
    return false;
  }

  /// Waits until the team is full or patience ends, and closes the gate. Patience shrinks while workers don't come.
  int close_gate() {
    const auto until = Clock::now() + patience;
    Spinner spinner;
    while (members_of(gate.load(std::memory_order_relaxed)) < threads) {
      spinner.wait();
      if (!spinner.patient() && Clock::now() > until) break;
    }
    const int members = members_of(gate.fetch_or(closed_bit));
    patience = members == threads ? longest_patience : std::max(patience / 2, shortest_patience);
    return members;
  }
};

/// What oneTBB is given to run. The state moves to the worker's stack, so that nothing of it is left in a finished
/// task.
struct WorkerPool::Worker {
  mutable std::shared_ptr<Shared> shared;  // a task's function is called as const
  void operator()() const {
    const std::shared_ptr<Shared> own = std::move(shared);
    own->work();
  }
};

struct WorkerPool::Arena {
  explicit Arena(int threads) : arena(threads, 1) {
    if (threads > tbb::info::default_concurrency()) {
      parallelism.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    }
  }
  std::optional<tbb::global_control> parallelism;
  tbb::task_arena arena;
};

WorkerPool::WorkerPool(int threads)
    : threads_(threads), shared_(std::make_shared<Shared>()), arena_(std::make_unique<Arena>(threads)) {
  shared_->threads = threads;
}

WorkerPool::~WorkerPool() {
  shared_->stop.store(true);
  // A task that is queued but never started would keep the state for ever, so those on their way are waited for.
  const auto until = Clock::now() + longest_farewell;
  Spinner spinner;
  while (shared_->present.load() > 0 && Clock::now() < until) spinner.wait();
}

void WorkerPool::run_job(const JobRef& job) {
  Shared& s = *shared_;
  const std::scoped_lock lock(s.one_job_at_a_time);
  if (threads_ == 1) {
    s.barrier.reset(1);
    job.call(job.object, {0, 1, &s.barrier});
    return;
  }
  s.job = job;
  const std::uint64_t epoch = epoch_of(s.gate.load()) + 1;
  s.gate.store((epoch << 16) | 1);
  while (s.present.load() < threads_ - 1) {
    s.present.fetch_add(1);
    arena_->arena.enqueue(Worker{shared_});
  }
  const int members = s.close_gate();
  s.barrier.reset(members);
  s.team.store((epoch << 16) | static_cast<std::uint64_t>(members), std::memory_order_release);
  job.call(job.object, {0, members, &s.barrier});
  s.barrier.wait();
}

}  // namespace weft::cpu
