// A packed panel stands for the same numbers, bit for bit, as the rows it was packed from.
#include "backends/cpu/panel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

#include "core/half.hpp"
#include "core/quant/block_format.hpp"
#include "core/quant/value_block.hpp"

namespace weft::cpu {
namespace {

std::vector<std::byte> random_rows(const TensorDesc& desc, std::uint32_t seed) {
  std::vector<std::byte> bytes(desc.bytes());
  std::mt19937 random(seed);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xFFU);
  const BlockFormat& format = block_format(desc.dtype);
  const auto block = static_cast<std::size_t>(info(desc.dtype).block_bytes);
  for (std::size_t at = 0; at + block <= bytes.size(); at += block) {
    if (format.set_scale != nullptr) format.set_scale(&bytes[at], 0.001F * static_cast<float>(1 + random() % 200));
    for (std::size_t h = 0; h < format.half_count; ++h) {
      const std::uint16_t bits = f32_to_f16(0.001F * static_cast<float>(static_cast<int>(random() % 400) - 200));
      std::memcpy(bytes.data() + at + format.half_offsets[h], &bits, sizeof bits);
    }
  }
  return bytes;
}

class PanelTest : public testing::TestWithParam<DType> {};

void expect_round_trip(DType type, const TensorDesc& desc) {
  const std::vector<std::byte> bytes = random_rows(desc, 7);
  const ConstHostView weight{desc, bytes.data()};
  const std::int64_t k = weight.width();
  const PanelSizes sizes = panel_sizes(type, k);
  std::vector<std::byte> panel(sizes.bytes);
  std::vector<float> got(static_cast<std::size_t>(k));
  std::vector<float> wanted(static_cast<std::size_t>(k));
  for (std::int64_t p = 0; p < panels_of(weight.rows()); ++p) {
    std::fill(panel.begin(), panel.end(), std::byte{0xFF});
    pack_panel(weight, p, panel);
    for (int row = 0; row < panel_rows; ++row) {
      decode_panel_row(type, panel, row, got);
      std::fill(wanted.begin(), wanted.end(), 0.0F);
      const std::int64_t source = p * panel_rows + row;
      if (source < weight.rows()) load_row(weight, source, wanted);
      for (std::size_t i = 0; i < got.size(); ++i) {
        // Zero times a code may have either sign.
        if (got[i] == 0 && wanted[i] == 0) continue;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(wanted[i]))
            << name_of(type) << " row " << source << " column " << i << ": " << got[i] << ", wanted " << wanted[i];
      }
    }
  }
}

TEST_P(PanelTest, DecodesToTheSameNumbers) {
  const std::int64_t block = info(GetParam()).block_elements;
  for (const std::int64_t rows : {1, 15, 16, 17, 33}) {
    for (const std::int64_t blocks : {1, 3}) {
      expect_round_trip(GetParam(), TensorDesc::dense(GetParam(), {rows, blocks * block}));
    }
  }
}

TEST_P(PanelTest, RowsMayBeStrided) {
  const std::int64_t block = info(GetParam()).block_elements;
  TensorDesc desc = TensorDesc::dense(GetParam(), {5, 2 * block});
  desc.strides[0] = 3 * block;
  expect_round_trip(GetParam(), desc);
}

TEST_P(PanelTest, PanelsAreAligned) {
  const std::int64_t block = info(GetParam()).block_elements;
  for (const std::int64_t blocks : {1, 2, 5}) {
    const PanelSizes sizes = panel_sizes(GetParam(), blocks * block);
    EXPECT_EQ(sizes.codes_offset % 64, 0U);
    EXPECT_EQ(sizes.bytes % 64, 0U);
  }
}

std::vector<DType> quantised_types() {
  std::vector<DType> types;
  std::ranges::copy_if(weight_types(), std::back_inserter(types), is_quantised);
  return types;
}

INSTANTIATE_TEST_SUITE_P(Types, PanelTest, testing::ValuesIn(quantised_types()),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

}  // namespace
}  // namespace weft::cpu
