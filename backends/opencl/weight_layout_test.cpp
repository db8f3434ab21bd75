// Planes of quantised weights: every byte of every block, where the kernels look for it.
#include "backends/opencl/weight_layout.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/quant/value_block.hpp"

namespace weft::opencl {
namespace {

TEST(WeightLayout, FieldsMakeUpTheBlock) {
  for (const DType type : weight_types()) {
    const auto fields = block_fields(type);
    if (!is_quantised(type)) {
      EXPECT_TRUE(fields.empty());
      continue;
    }
    const std::size_t bytes = std::accumulate(fields.begin(), fields.end(), std::size_t{0});
    if (is_value_type(type)) {
      EXPECT_EQ(bytes, info(type).block_elements / 4 * (type == DType::q2_k ? 6 : 5)) << name_of(type);
    } else {
      EXPECT_EQ(bytes, info(type).block_bytes) << name_of(type);
    }
  }
}

TEST(WeightLayout, PlanesStartAtMultiplesOf256Bytes) {
  EXPECT_EQ(plane_blocks(0), 0);
  EXPECT_EQ(plane_blocks(1), 256);
  EXPECT_EQ(plane_blocks(256), 256);
  EXPECT_EQ(plane_blocks(257), 512);
}

TEST(WeightLayout, EveryByteArrivesInItsPlane) {
  for (const DType type : weight_types()) {
    const auto fields = block_fields(type);
    if (fields.empty()) continue;
    for (const std::int64_t blocks : {1, 3, 257, 40000}) {
      const std::int64_t size = info(type).block_bytes;
      std::vector<std::byte> packed(static_cast<std::size_t>(blocks * size));
      for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i * 31 % 251);
      std::vector<std::byte> planes(planes_bytes(type, blocks));
      const Status ok = write_planes(type, packed, [&](std::size_t offset, std::span<const std::byte> piece) -> Status {
        if (offset + piece.size() > planes.size()) return fail(ErrorCode::internal, "beyond the planes");
        std::copy(piece.begin(), piece.end(), planes.begin() + static_cast<std::ptrdiff_t>(offset));
        return {};
      });
      ASSERT_TRUE(ok) << ok.error().message;
      std::vector<std::byte> stored(std::accumulate(fields.begin(), fields.end(), std::size_t{0}));
      for (const std::int64_t block : {std::int64_t{0}, blocks / 2, blocks - 1}) {
        store_block(type, packed.data() + block * size, stored.data());
        std::size_t before = 0;
        for (const std::size_t field : fields) {
          for (std::size_t i = 0; i < field; ++i) {
            const std::size_t at =
                static_cast<std::size_t>(plane_blocks(blocks)) * before + static_cast<std::size_t>(block) * field + i;
            ASSERT_EQ(planes[at], stored[before + i]) << name_of(type);
          }
          before += field;
        }
      }
    }
  }
}

TEST(WeightLayout, AFailedWriteEndsThePacking) {
  const std::vector<std::byte> packed(18 * 4);
  int calls = 0;
  const Status failed = write_planes(DType::q4_0, packed, [&](std::size_t, std::span<const std::byte>) -> Status {
    ++calls;
    return fail(ErrorCode::device_lost, "gone");
  });
  EXPECT_FALSE(failed);
  EXPECT_EQ(calls, 1);
}

TEST(WeightLayout, ViewsAndPlainTypesKeepTheFilesLayout) {
  auto tensor = std::make_shared<HostTensor>();
  tensor->desc = TensorDesc::dense(DType::q4_0, {8, 64});
  SegmentValue value{"w", tensor->desc, tensor, 0, 0};
  EXPECT_EQ(layout_of(value), WeightLayout::planes);
  value.byte_offset = 36;
  EXPECT_EQ(layout_of(value), WeightLayout::blocks);
  value.byte_offset = 0;
  value.desc.shape[0] = Dim(4);
  EXPECT_EQ(layout_of(value), WeightLayout::blocks);
  tensor->desc = value.desc = TensorDesc::dense(DType::bf16, {8, 64});
  EXPECT_EQ(layout_of(value), WeightLayout::blocks);
}

}  // namespace
}  // namespace weft::opencl
