// A barrier for a few threads that meet every few microseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "backends/cpu/cpu_features.hpp"

namespace weft::cpu {

inline constexpr std::size_t cache_line = 64;

/// Spins for some microseconds, then gives the core away between looks, so that more threads than cores still advance.
class Spinner {
 public:
  void wait() {
    if (++turns_ < patience) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
  [[nodiscard]] bool patient() const { return turns_ < patience; }

 private:
  static constexpr int patience = 400;
  int turns_ = 0;
};

/// Counts arrivals of a generation; the last one opens the next. All of a team's members wait() equally often.
class Barrier {
 public:
  /// Only while nobody is about to wait.
  void reset(int members) { members_.store(members, std::memory_order_relaxed); }

  void wait() {
    const std::uint64_t generation = generation_.load(std::memory_order_relaxed);
    const int members = members_.load(std::memory_order_relaxed);
    if (members == 1) return;
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return;
    }
    Spinner spinner;
    while (generation_.load(std::memory_order_acquire) == generation) spinner.wait();
  }

 private:
  alignas(cache_line) std::atomic<int> arrived_{0};
  alignas(cache_line) std::atomic<std::uint64_t> generation_{0};
  alignas(cache_line) std::atomic<int> members_{1};
};

}  // namespace weft::cpu
