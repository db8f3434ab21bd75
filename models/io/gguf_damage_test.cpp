// Hundreds of damaged copies of one small valid file: each loads or gives one error line that names the file, and
// whatever loads can be walked to its last byte.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "models/io/gguf.hpp"
#include "models/io/gguf_describe.hpp"
#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {
namespace {

using test::Bytes;

constexpr std::uint32_t first_seed = 20260101;

/// One of each kind of metadata value and several tensors, in about 1.5 KiB.
GgufWriter sample() {
  GgufWriter writer;
  writer.set("general.architecture", std::string("llama"));
  writer.set("general.alignment", std::uint32_t{64});
  writer.set("u8", std::uint8_t{1});
  writer.set("i8", std::int8_t{-1});
  writer.set("u16", std::uint16_t{2});
  writer.set("i16", std::int16_t{-2});
  writer.set("i32", std::int32_t{-3});
  writer.set("f32", 0.5F);
  writer.set("bool", true);
  writer.set("u64", std::uint64_t{1} << 40);
  writer.set("i64", std::int64_t{-5});
  writer.set("f64", 0.25);
  writer.set("tokens", std::vector<std::string>{"<s>", "", "a", std::string(1, '\0')});
  writer.set("scores", std::vector<float>{0.0F, -1.0F, -2.0F});
  writer.set("token_type", std::vector<std::int32_t>{3, 1, 1, 6});
  writer.set("pattern", std::vector<bool>{true, false});
  EXPECT_TRUE(writer.add_tensor({"token_embd.weight", DType::q4_0, {3, 64}}, test::counted_bytes(108)));
  EXPECT_TRUE(writer.add_tensor({"blk.0.attn_norm.weight", DType::f32, {5}}, test::counted_bytes(20)));
  EXPECT_TRUE(writer.add_tensor({"empty", DType::f16, {2, 0}}, Bytes{}));
  EXPECT_TRUE(writer.add_tensor({"blk.0.ffn_up.weight", DType::q6_k, {1, 1, 256}}, test::counted_bytes(210)));
  return writer;
}

class GgufDamage : public test::GgufFiles {
 protected:
  void SetUp() override {
    ASSERT_TRUE(sample().write(folder_ / "good.gguf"));
    good_ = test::read_bytes(folder_ / "good.gguf");
    ASSERT_GT(good_.size(), 1000U);
    const auto file = open(good_);
    ASSERT_TRUE(file) << file.error().message;
    data_begin_ = good_.size() - 64 * 7;  // two, one and four units of 64 bytes hold the tensors
    ASSERT_EQ((*file)->data((*file)->tensors()[0])[1], good_[data_begin_ + 1]);
  }

  /// Walks everything, so that a wrong span or view shows under a sanitizer.
  static void walk(const GgufFile& file) {
    unsigned sum = 0;
    for (const auto& [key, value] : file.metadata()) {
      EXPECT_EQ(file.find(key), &value);
      (void)file.integers(key);
      (void)file.numbers(key);
      (void)file.texts(key);
    }
    for (const GgufTensor& tensor : file.tensors()) {
      EXPECT_EQ(file.find_tensor(tensor.name), &tensor);
      const auto data = file.data(tensor);
      EXPECT_EQ(data.size(), tensor.bytes);
      if (!data.empty()) sum += static_cast<unsigned>(data.front()) + static_cast<unsigned>(data.back());
    }
    EXPECT_LE(sum, file.tensors().size() * 510);
    EXPECT_FALSE(describe_text(file).empty());
    EXPECT_FALSE(describe_json(file).empty());
  }

  /// True when the bytes loaded.
  bool load_or_refuse(const Bytes& bytes) {
    ++tried_;
    const LoadMode mode = tried_ % 2 == 0 ? LoadMode::mapped : LoadMode::read;
    const auto file = open(bytes, mode);
    if (file) {
      walk(**file);
      return true;
    }
    const std::string& message = file.error().message;
    EXPECT_NE(message.find("file.gguf: "), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(file.error().code, ErrorCode::internal) << message;
    return false;
  }

  [[nodiscard]] Bytes with_u64(std::size_t at, std::uint64_t value) const {
    Bytes bytes = good_;
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(value), bytes.size() - at));
    return bytes;
  }
  [[nodiscard]] Bytes with_u32(std::size_t at, std::uint32_t value) const {
    Bytes bytes = good_;
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(value), bytes.size() - at));
    return bytes;
  }

  Bytes good_;
  std::size_t data_begin_ = 0;
  std::size_t tried_ = 0;
};

constexpr std::array<std::uint64_t, 12> hostile{0,
                                                1,
                                                31,
                                                0x7F,
                                                0xFFFF,
                                                0x7FFFFFFF,
                                                0xFFFFFFFF,
                                                std::uint64_t{1} << 32,
                                                std::uint64_t{1} << 62,
                                                (std::uint64_t{1} << 63) - 1,
                                                std::uint64_t{1} << 63,
                                                ~std::uint64_t{0}};

TEST_F(GgufDamage, EveryHeaderFieldWrong) {
  for (std::size_t byte = 0; byte < 4; ++byte) {
    Bytes bytes = good_;
    bytes[byte] ^= std::byte{0x20};
    EXPECT_FALSE(load_or_refuse(bytes)) << "magic byte " << byte;
  }
  for (const std::uint64_t value : hostile) {
    EXPECT_FALSE(load_or_refuse(with_u32(4, static_cast<std::uint32_t>(value)))) << "version " << value;
    EXPECT_FALSE(load_or_refuse(with_u64(16, value))) << "pairs " << value;
    // Fewer tensor records leave a valid file whose data begins elsewhere.
    const bool loaded = load_or_refuse(with_u64(8, value));
    EXPECT_FALSE(loaded && value > 4) << "tensors " << value;
  }
}

TEST_F(GgufDamage, EveryPositionHoldsHostileNumbers) {
  for (std::size_t at = 24; at < data_begin_; ++at) {
    const std::uint64_t value = hostile[at % hostile.size()];
    load_or_refuse(with_u64(at, value));
    load_or_refuse(with_u32(at, static_cast<std::uint32_t>(hostile[(at / 7) % hostile.size()])));
  }
  EXPECT_GT(tried_, 1000U);
}

TEST_F(GgufDamage, CutAnywhereBeforeTheDataEnds) {
  const std::size_t last_data_byte = data_begin_ + 64 * 3 + 210;
  for (std::size_t size = 0; size < good_.size(); ++size) {
    Bytes bytes(good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(load_or_refuse(bytes), size >= last_data_byte) << size << " of " << good_.size() << " bytes";
  }
  EXPECT_GT(tried_, 1000U);
}

TEST_F(GgufDamage, BytesAfterTheEndAreNoSecondFile) {
  Bytes bytes = good_;
  bytes.insert(bytes.end(), good_.begin(), good_.end());
  const auto file = open(bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->tensors().size(), 4U);
  walk(**file);
}

TEST_F(GgufDamage, RandomBytesAndBits) {
  for (std::uint32_t seed = first_seed; seed < first_seed + 600; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Bytes bytes = good_;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t i = 0; i < changes; ++i) {
      std::byte& byte = bytes[random() % data_begin_];
      byte = random() % 2 == 0 ? static_cast<std::byte>(random() & 0xFF) : byte ^ (std::byte{1} << (random() % 8));
    }
    load_or_refuse(bytes);
    if (HasFailure()) break;
  }
}

TEST_F(GgufDamage, MovedAndRepeatedPieces) {
  for (std::uint32_t seed = first_seed; seed < first_seed + 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Bytes bytes = good_;
    const std::size_t from = random() % bytes.size();
    const std::size_t count = random() % std::min<std::size_t>(bytes.size() - from, 200);
    const Bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                      bytes.begin() + static_cast<std::ptrdiff_t>(from + count));
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(random() % bytes.size());
    if (random() % 2 == 0) {
      bytes.insert(at, piece.begin(), piece.end());
    } else {
      bytes.erase(at, at + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(count), bytes.end() - at));
    }
    load_or_refuse(bytes);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace weft::models
