// Replaces operator new by one that counts. Alone in its file: g++ 12 takes a replaced new that it can inline for a
// mismatch with free.
#include "graph/testing/allocation_count.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

namespace {
// Must be global, as operator new is.
std::atomic<std::size_t> allocations{0};
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

std::size_t weft::graph::testing::allocation_count() { return allocations; }

TEST(AllocationCount, Counts) {
  const std::size_t before = weft::graph::testing::allocation_count();
  void* memory = ::operator new(10);
  EXPECT_EQ(weft::graph::testing::allocation_count(), before + 1);
  ::operator delete(memory);
}
