// Threads that take the next item until none is left.
#include "models/quantize/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace weft::models {

int usable_threads() { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U)); }

void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t, std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t worker) {
    for (std::size_t item = next++; item < count; item = next++) job(worker, item);
  };
  const std::size_t workers = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
  std::vector<std::jthread> others;
  for (std::size_t worker = 1; worker < workers; ++worker) {
    try {
      others.emplace_back(work, worker);
    } catch (const std::system_error&) {
      break;  // the system gives no more threads: those that run do the work
    }
  }
  work(0);
}

}  // namespace weft::models
