// The counter counts.
#include "core/testing/allocation_count.hpp"

#include <gtest/gtest.h>

#include <new>

namespace weft::testing {

TEST(AllocationCount, CountsWhatNewGives) {
  const std::size_t before = allocation_count();
  ::operator delete(::operator new(10));
  EXPECT_EQ(allocation_count(), before + 1);
}

}  // namespace weft::testing
