// The threads of the backend: one oneTBB arena whose workers join a team for each parallel region.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/cpu/barrier.hpp"

namespace weft::cpu {

/// One member of a running team.
struct TeamMember {
  int worker = 0;   ///< 0 is the thread that called run()
  int workers = 1;  ///< of the team
  Barrier* barrier = nullptr;
};

/// Runs a job on a team of 1 to `threads` workers. The team is whoever arrives within a short time, so a job completes
/// with any number of workers that the system gives; jobs must give the same bits for each. Workers keep looking for
/// the next job for a while before they go back to oneTBB. run() may be called from several threads; jobs then queue
/// up.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int threads() const { return threads_; }

  /// Calls job(TeamMember) once on each member; returns when all are done. Allocates nothing while workers are awake.
  template <class Job>
  void run(Job& job) {
    run_job({[](void* object, const TeamMember& member) { (*static_cast<Job*>(object))(member); }, &job});
  }

 private:
  struct JobRef {
    void (*call)(void*, const TeamMember&) = nullptr;
    void* object = nullptr;
  };
  struct Shared;
  struct Arena;
  struct Worker;
  void run_job(const JobRef& job);

  int threads_;
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace weft::cpu
