// Models split over several files.
#include <gtest/gtest.h>

#include <functional>

#include "models/io/gguf.hpp"
#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {
namespace {

class GgufSplit : public ::testing::Test {
 protected:
  /// Writes shard `number` (from 0) of three with tensor "t<number>"; `edit` may change it before.
  void write_shard(std::uint16_t number, const std::function<void(GgufWriter&)>& edit = {}) {
    GgufWriter writer;
    if (number == 0) writer.set("general.architecture", std::string("llama"));
    if (number == 1) writer.set("general.alignment", std::uint32_t{64});
    writer.set("split.no", number);
    writer.set("split.count", std::uint16_t{3});
    writer.set("split.tensors.count", std::int32_t{3});
    if (edit) edit(writer);
    const auto data = test::counted_bytes(12, number * std::size_t{16});
    ASSERT_TRUE(writer.add_tensor({"t" + std::to_string(number), DType::f32, {3}}, data));
    const auto written = writer.write(shard(number));
    ASSERT_TRUE(written) << written.error().message;
  }
  void write_all() {
    for (std::uint16_t number = 0; number < 3; ++number) write_shard(number);
  }
  [[nodiscard]] std::filesystem::path shard(int number) const {
    return folder_ / ("m-0000" + std::to_string(number + 1) + "-of-00003.gguf");
  }
  void expect_refused(ErrorCode code, const std::vector<std::string>& parts) {
    const auto file = GgufFile::open(shard(0));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, code) << file.error().message;
    for (const auto& part : parts)
      EXPECT_NE(file.error().message.find(part), std::string::npos) << file.error().message;
  }

  test::TemporaryFolder folder_;
};

TEST_F(GgufSplit, TensorsOfAllShards) {
  write_all();
  for (const LoadMode mode : {LoadMode::mapped, LoadMode::read}) {
    const auto file = GgufFile::open(shard(0), mode);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ((*file)->tensors().size(), 3U);
    EXPECT_EQ((*file)->alignment(), 32U);
    EXPECT_EQ((*file)->text("general.architecture").value(), "llama");
    for (std::size_t i = 0; i < 3; ++i) {
      const GgufTensor& tensor = (*file)->tensors()[i];
      EXPECT_EQ(tensor.name, "t" + std::to_string(i));
      EXPECT_TRUE(std::ranges::equal((*file)->data(tensor), test::counted_bytes(12, i * 16)));
    }
  }
}

TEST_F(GgufSplit, AFileThatSaysItIsOneOfOneIsWhole) {
  GgufWriter writer;
  writer.set("split.no", std::uint16_t{0});
  writer.set("split.count", std::uint16_t{1});
  ASSERT_TRUE(writer.write(folder_ / "any name.gguf"));
  EXPECT_TRUE(GgufFile::open(folder_ / "any name.gguf"));
}

TEST_F(GgufSplit, AnotherThanTheFirstNamesTheFirst) {
  write_all();
  const auto file = GgufFile::open(shard(1));
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::unsupported);
  EXPECT_NE(file.error().message.find("file 2 of 3"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find("open m-00001-of-00003.gguf"), std::string::npos) << file.error().message;
}

TEST_F(GgufSplit, MissingShardIsNamed) {
  write_all();
  std::filesystem::remove(shard(2));
  expect_refused(ErrorCode::invalid_argument, {"m-00003-of-00003.gguf", "can't be opened"});
}

TEST_F(GgufSplit, RenamedFirstShardIsRefused) {
  write_all();
  std::filesystem::rename(shard(0), folder_ / "renamed.gguf");
  const auto file = GgufFile::open(folder_ / "renamed.gguf");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("-00001-of-00003.gguf"), std::string::npos) << file.error().message;
}

TEST_F(GgufSplit, ShardsThatContradictEachOther) {
  write_all();
  write_shard(1, [](GgufWriter& w) { w.set("split.no", std::uint16_t{2}); });
  expect_refused(ErrorCode::invalid_file, {"m-00002-of", "file 3 of 3", "2 of 3"});
  write_shard(1, [](GgufWriter& w) { w.set("split.count", std::uint16_t{4}); });
  expect_refused(ErrorCode::invalid_file, {"m-00002-of", "file 2 of 4", "2 of 3"});
  write_shard(1);
  write_shard(0, [](GgufWriter& w) { w.set("split.tensors.count", std::int32_t{4}); });
  expect_refused(ErrorCode::invalid_file, {"m-00001-of", "split.tensors.count", "is 4", "hold 3"});
  write_shard(0, [](GgufWriter& w) { w.set("split.tensors.count", std::int32_t{4}); });
  write_shard(2, [](GgufWriter& w) { ASSERT_TRUE(w.add_tensor({"t1", DType::f32, {0}}, test::Bytes{})); });
  expect_refused(ErrorCode::invalid_file, {"'t1'", "two of the split files"});
}

TEST_F(GgufSplit, KeysOutOfRange) {
  write_all();
  write_shard(0, [](GgufWriter& w) { w.set("split.count", std::uint32_t{1000}); });
  expect_refused(ErrorCode::invalid_file, {"split.count", "1000", "0 to 999"});
  write_shard(0, [](GgufWriter& w) { w.set("split.count", std::int32_t{-1}); });
  expect_refused(ErrorCode::invalid_file, {"split.count", "-1"});
  write_shard(0, [](GgufWriter& w) { w.set("split.no", std::uint16_t{3}); });
  expect_refused(ErrorCode::invalid_file, {"split.no", "3", "0 to 2"});
  write_shard(0, [](GgufWriter& w) { w.set("split.count", std::string("3")); });
  expect_refused(ErrorCode::invalid_file, {"split.count", "is text"});
}

TEST_F(GgufSplit, DamagedLaterShardIsNamed) {
  write_all();
  auto bytes = test::read_bytes(shard(2));
  bytes[0] = std::byte{'X'};
  test::write_bytes(shard(2), bytes);
  expect_refused(ErrorCode::invalid_file, {"m-00003-of-00003.gguf", "no GGUF file"});
}

}  // namespace
}  // namespace weft::models
