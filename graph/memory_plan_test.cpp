// No two live ranges share bytes, whatever they are, and memory is reused where it can be.
#include "graph/memory_plan.hpp"

#include <gtest/gtest.h>

#include <random>

namespace weft::graph {
namespace {

bool overlap(std::size_t a, std::size_t a_bytes, std::size_t b, std::size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

void expect_sound(std::span<const LiveRange> ranges, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % arena_alignment, 0U);
    EXPECT_LE(plan.offsets[i] + ranges[i].bytes, plan.bytes);
    for (std::size_t j = 0; j < i; ++j) {
      if (ranges[i].first > ranges[j].last || ranges[j].first > ranges[i].last) continue;
      EXPECT_FALSE(overlap(plan.offsets[i], ranges[i].bytes, plan.offsets[j], ranges[j].bytes))
          << "ranges " << j << " and " << i;
    }
  }
  EXPECT_LE(plan.bytes, plan.unshared_bytes);
}

TEST(MemoryPlan, NothingNeedsNothing) {
  const MemoryPlan plan = plan_memory({});
  EXPECT_EQ(plan.bytes, 0U);
  EXPECT_TRUE(plan.offsets.empty());
}

TEST(MemoryPlan, RandomLivesNeverOverlap) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<LiveRange> ranges(random() % 70);
    for (LiveRange& r : ranges) {
      r.bytes = random() % 5000;
      r.first = random() % 40;
      r.last = r.first + random() % 9;
    }
    expect_sound(ranges, plan_memory(ranges));
  }
}

TEST(MemoryPlan, ChainNeedsTwoPlaces) {
  std::vector<LiveRange> ranges;
  for (std::size_t i = 0; i < 30; ++i) ranges.push_back({1024, i, i + 1});
  const MemoryPlan plan = plan_memory(ranges);
  expect_sound(ranges, plan);
  EXPECT_EQ(plan.bytes, 2048U);
  EXPECT_EQ(plan.unshared_bytes, 30U * 1024U);
}

TEST(MemoryPlan, WhatIsReadAndWrittenInOneStepIsApart) {
  const std::vector<LiveRange> ranges{{256, 0, 3}, {256, 3, 4}};
  const MemoryPlan plan = plan_memory(ranges);
  EXPECT_NE(plan.offsets[0], plan.offsets[1]);
}

TEST(MemoryPlan, SmallRangesFillTheGapUnderALaterLargeOne) {
  const std::vector<LiveRange> ranges{{1000, 0, 2}, {4000, 3, 6}, {1000, 1, 2}, {1, 0, 6}};
  const MemoryPlan plan = plan_memory(ranges);
  expect_sound(ranges, plan);
  EXPECT_EQ(plan.bytes, 4096U + 256U);
}

}  // namespace
}  // namespace weft::graph
