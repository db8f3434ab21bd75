// Teams of any size finish, meet at every barrier, and see each other's work.
#include "backends/cpu/worker_pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace weft::cpu {
namespace {

class WorkerPoolTest : public testing::TestWithParam<int> {};

/// Each member adds 1 to its own cell, meets the others, and checks that all cells are equal.
struct LockStep {
  std::vector<std::int64_t> cells = std::vector<std::int64_t>(64);
  std::atomic<int> faults{0};
  std::atomic<int> largest_team{0};
  int rounds = 0;

  void operator()(const TeamMember& m) {
    for (int round = 0; round < rounds; ++round) {
      ++cells[static_cast<std::size_t>(m.worker)];
      m.barrier->wait();
      for (int other = 0; other < m.workers; ++other) {
        if (cells[static_cast<std::size_t>(other)] != cells[static_cast<std::size_t>(m.worker)]) ++faults;
      }
      m.barrier->wait();
    }
    if (m.workers > largest_team) largest_team = m.workers;
  }
};

TEST_P(WorkerPoolTest, MembersMeetAtEveryBarrier) {
  WorkerPool pool(GetParam());
  for (int run = 0; run < 50; ++run) {
    LockStep job;
    job.rounds = 20;
    pool.run(job);
    EXPECT_EQ(job.faults, 0);
    EXPECT_GE(job.largest_team, 1);
    EXPECT_LE(job.largest_team, GetParam());
  }
}

TEST_P(WorkerPoolTest, EveryRunHasEachMemberOnce) {
  WorkerPool pool(GetParam());
  for (int run = 0; run < 2000; ++run) {
    std::array<std::atomic<int>, 64> seen{};
    std::atomic<int> members{0};
    auto job = [&](const TeamMember& m) {
      ++seen[static_cast<std::size_t>(m.worker)];
      members = m.workers;
    };
    pool.run(job);
    for (int worker = 0; worker < members; ++worker) {
      ASSERT_EQ(seen[static_cast<std::size_t>(worker)], 1) << "run " << run << ", worker " << worker;
    }
  }
}

TEST_P(WorkerPoolTest, WorkersComeBackAfterAPause) {
  WorkerPool pool(GetParam());
  for (int run = 0; run < 5; ++run) {
    LockStep job;
    job.rounds = 3;
    pool.run(job);
    EXPECT_EQ(job.faults, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST_P(WorkerPoolTest, WorksOnASingleCore) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    WorkerPool pool(GetParam());
    LockStep job;
    job.rounds = 100;
    pool.run(job);
    EXPECT_EQ(job.faults, 0);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST_P(WorkerPoolTest, SeveralCallersTakeTurns) {
  WorkerPool pool(GetParam());
  std::atomic<int> faults{0};
  const auto caller = [&] {
    for (int run = 0; run < 50; ++run) {
      LockStep job;
      job.rounds = 5;
      pool.run(job);
      faults += job.faults;
    }
  };
  std::thread first(caller);
  std::thread second(caller);
  first.join();
  second.join();
  EXPECT_EQ(faults, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, WorkerPoolTest, testing::Values(1, 2, 3, 8));

TEST(WorkerPool, TwoPoolsInOneProcess) {
  WorkerPool a(2);
  WorkerPool b(3);
  for (int run = 0; run < 100; ++run) {
    LockStep job;
    job.rounds = 5;
    (run % 2 == 0 ? a : b).run(job);
    EXPECT_EQ(job.faults, 0);
  }
}

}  // namespace
}  // namespace weft::cpu
