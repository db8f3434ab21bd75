// Host buffers and the immediate queue.
#include "core/host_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace weft {
namespace {

using testing::HasSubstr;

std::unique_ptr<Buffer> buffer(std::size_t bytes) { return std::move(*HostBuffer::allocate(bytes)); }

TEST(HostBuffer, IsAlignedAndHasTheSizeAskedFor) {
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 1000}) {
    const auto b = buffer(bytes);
    EXPECT_EQ(b->bytes(), bytes);
    ASSERT_NE(b->host(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b->host()) % host_alignment, 0U);
  }
}

TEST(HostBuffer, HugeSizesAreAnError) {
  for (const std::size_t bytes : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 60U}) {
    const auto b = HostBuffer::allocate(bytes);
    ASSERT_FALSE(b);
    EXPECT_EQ(b.error().code, ErrorCode::out_of_memory);
  }
}

TEST(HostQueue, CopiesBytesInAcrossAndOut) {
  const auto a = buffer(16);
  const auto b = buffer(16);
  HostQueue queue;
  const std::array<std::byte, 4> source{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  std::array<std::byte, 4> target{};
  ASSERT_TRUE(queue.upload({a.get(), 3, 4}, source));
  ASSERT_TRUE(queue.copy({b.get(), 12, 4}, {a.get(), 3, 4}));
  ASSERT_TRUE(queue.download(target, {b.get(), 12, 4}));
  EXPECT_EQ(target, source);
  const auto event = queue.record();
  ASSERT_TRUE(event);
  EXPECT_TRUE(queue.after(**event));
  EXPECT_TRUE(queue.finish());
}

TEST(HostQueue, RefusesRangesBeyondTheBuffer) {
  const auto a = buffer(16);
  HostQueue queue;
  std::array<std::byte, 4> bytes{};
  EXPECT_THAT(queue.upload({a.get(), 13, 4}, bytes).error().message, HasSubstr("upload: buffer view of 4 bytes at 13"));
  EXPECT_THAT(queue.upload({a.get(), 0, 8}, bytes).error().message, HasSubstr("target has 8 bytes, source 4"));
  EXPECT_THAT(queue.download(bytes, {nullptr, 0, 4}).error().message, HasSubstr("without a buffer"));
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_FALSE(queue.upload({a.get(), most, 4}, bytes));
}

TEST(HostMemory, IsKnown) { EXPECT_GT(host_memory().total_bytes, 0); }

}  // namespace
}  // namespace weft
