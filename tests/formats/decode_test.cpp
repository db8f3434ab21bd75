// Every block format's decoder against values of the reference dequantiser, bit for bit. scripts/make-format-goldens
// wrote the goldens: u32 number of blocks, their bytes, the f32 values; blocks are random and extreme ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/quant/block_format.hpp"

namespace weft {
namespace {

class DecodeGolden : public testing::TestWithParam<DType> {};

TEST_P(DecodeGolden, EqualsTheReferenceBitForBit) {
  const DType type = GetParam();
  const std::string path = std::string(WEFT_SOURCE_DIR "/tests/formats/goldens/") + std::string(name_of(type)) + ".bin";
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint32_t blocks = 0;
  ASSERT_GE(bytes.size(), sizeof blocks) << path;
  std::memcpy(&blocks, bytes.data(), sizeof blocks);
  ASSERT_GT(blocks, 0U);
  const std::size_t packed = blocks * static_cast<std::size_t>(info(type).block_bytes);
  const std::size_t elements = blocks * static_cast<std::size_t>(info(type).block_elements);
  ASSERT_EQ(bytes.size(), sizeof blocks + packed + elements * sizeof(float));
  std::vector<float> wanted(elements);
  std::memcpy(wanted.data(), bytes.data() + sizeof blocks + packed, elements * sizeof(float));
  std::vector<float> got(elements);
  decode_row(type, reinterpret_cast<const std::byte*>(bytes.data()) + sizeof blocks, got);
  for (std::size_t i = 0; i < elements; ++i) {
    if (std::isnan(wanted[i]) && std::isnan(got[i])) continue;
    ASSERT_EQ(std::memcmp(&got[i], &wanted[i], sizeof(float)), 0)
        << "element " << i << ": " << got[i] << ", not " << wanted[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DecodeGolden,
                         testing::Values(DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0, DType::q4_k,
                                         DType::q5_k, DType::q6_k, DType::q2_k, DType::q3_k, DType::iq1_s, DType::iq1_m,
                                         DType::iq2_xxs, DType::iq2_xs, DType::iq2_s, DType::iq3_xxs, DType::iq3_s,
                                         DType::iq4_nl, DType::iq4_xs, DType::tq1_0, DType::tq2_0, DType::mxfp4,
                                         DType::nvfp4),
                         [](const auto& of_case) { return std::string(name_of(of_case.param)); });

}  // namespace
}  // namespace weft
