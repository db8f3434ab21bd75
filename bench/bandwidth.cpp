// A plain read of a large buffer by several threads.
#include "bench/bandwidth.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace weft::bench {
namespace {

constexpr int passes = 5;
constexpr std::size_t line_words = 64 / sizeof(std::uint64_t);

std::uint64_t read_all(std::span<const std::uint64_t> words) {
  // Eight sums, so that no pass waits for the one before; the compiler makes vectors of them.
  std::uint64_t sums[line_words] = {};
  for (std::size_t i = 0; i + line_words <= words.size(); i += line_words) {
    for (std::size_t j = 0; j < line_words; ++j) sums[j] += words[i + j];
  }
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  return total;
}

}  // namespace

double read_bandwidth(std::int64_t threads, std::size_t bytes) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(threads, 1));
  const std::size_t share = std::max<std::size_t>(bytes / count / sizeof(std::uint64_t), line_words);
  std::vector<std::vector<std::uint64_t>> parts(count);
  std::atomic<std::uint64_t> sink{0};
  std::vector<std::jthread> fillers;
  for (auto& part : parts) fillers.emplace_back([&part, share] { part.assign(share, 1); });
  fillers.clear();
  double best = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::atomic<std::size_t> ready{0};
    const auto read_part = [&](const std::vector<std::uint64_t>& part) {
      ready.fetch_add(1);
      while (ready.load() <= count) std::this_thread::yield();
      sink += read_all(part);
    };
    std::vector<std::jthread> readers;
    for (const auto& part : parts) readers.emplace_back(read_part, std::cref(part));
    while (ready.load() < count) std::this_thread::yield();
    const auto start = std::chrono::steady_clock::now();
    ready.fetch_add(1);
    readers.clear();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(count * share * sizeof(std::uint64_t)) / seconds.count());
  }
  return best;
}

}  // namespace weft::bench
