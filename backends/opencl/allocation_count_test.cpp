// Replaces operator new by one that counts. Alone in its file: g++ 12 takes a replaced new that it can inline for a
// mismatch with free.
#include "backends/opencl/testing/allocation_count.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> allocations{0};  // global, as operator new is
}

void* operator new(std::size_t bytes) {
  ++allocations;
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

std::size_t weft::opencl::testing::allocation_count() { return allocations; }

TEST(AllocationCount, Counts) {
  const std::size_t before = weft::opencl::testing::allocation_count();
  void* memory = ::operator new(10);
  EXPECT_EQ(weft::opencl::testing::allocation_count(), before + 1);
  ::operator delete(memory);
}
