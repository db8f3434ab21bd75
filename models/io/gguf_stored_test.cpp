// Values come back with the type they were stored as, and streams give exactly their tensor's bytes.
#include "models/io/gguf_stored.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {
namespace {

class GgufStored : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

/// One pair of every scalar and array type, with values at the ends of their ranges.
void set_all(GgufWriter& writer) {
  writer.set("u8", std::uint8_t{255});
  writer.set("i8", std::int8_t{-128});
  writer.set("u16", std::uint16_t{65535});
  writer.set("i16", std::int16_t{-32768});
  writer.set("u32", std::numeric_limits<std::uint32_t>::max());
  writer.set("i32", std::numeric_limits<std::int32_t>::min());
  writer.set("f32", 1e-5F);
  writer.set("bool", true);
  writer.set("text", std::string("a\0b", 3));
  writer.set("u64", std::numeric_limits<std::uint64_t>::max());
  writer.set("i64", std::numeric_limits<std::int64_t>::min());
  writer.set("f64", 0.1);
  writer.set("array u8", GgufStoredArray(std::vector<std::uint8_t>{0, 255}));
  writer.set("array i16", GgufStoredArray(std::vector<std::int16_t>{-1, 2}));
  writer.set("array f32", GgufStoredArray(std::vector<float>{0.5F, -0.0F}));
  writer.set("array bool", GgufStoredArray(std::vector<bool>{true, false, true}));
  writer.set("array text", GgufStoredArray(std::vector<std::string>{"", "x"}));
  writer.set("array i64", GgufStoredArray(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()}));
  writer.set("array f64", GgufStoredArray(std::vector<double>{1e300}));
  writer.set("array empty", GgufStoredArray(std::vector<std::uint64_t>{}));
}

TEST_F(GgufStored, AFileWrittenFromStoredValuesIsTheSame) {
  GgufWriter writer;
  set_all(writer);
  ASSERT_TRUE(writer.write(folder_ / "a.gguf"));
  const auto file = GgufFile::open(folder_ / "a.gguf");
  ASSERT_TRUE(file) << file.error().message;
  GgufWriter again;
  for (const auto& [key, value] : (*file)->metadata()) {
    auto stored = (*file)->stored(key);
    ASSERT_TRUE(stored) << key << ": " << stored.error().message;
    again.set(key, std::move(*stored));
  }
  ASSERT_TRUE(again.write(folder_ / "b.gguf"));
  EXPECT_EQ(test::read_bytes(folder_ / "a.gguf"), test::read_bytes(folder_ / "b.gguf"));
  EXPECT_EQ(std::get<std::int8_t>(*(*file)->stored("i8")), -128);
}

TEST_F(GgufStored, AMissingKeyIsNamed) {
  ASSERT_TRUE(GgufWriter().write(folder_ / "a.gguf"));
  const auto file = GgufFile::open(folder_ / "a.gguf");
  ASSERT_TRUE(file);
  const auto stored = (*file)->stored("nothing");
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().message.find("nothing"), std::string::npos);
}

TEST_F(GgufStored, TruncatedAndForeignValuesAreErrors) {
  const auto value_of = [](const test::Bytes& bytes) {
    ByteReader reader(bytes);
    return read_stored_value(reader);
  };
  const auto raw = [](std::initializer_list<std::uint8_t> list) {
    test::Bytes bytes;
    for (const std::uint8_t b : list) bytes.push_back(static_cast<std::byte>(b));
    return bytes;
  };
  EXPECT_FALSE(value_of({}));
  EXPECT_FALSE(value_of(raw({13, 0, 0, 0, 1})));                                                   // no such type
  EXPECT_FALSE(value_of(raw({4, 0, 0, 0, 1, 2})));                                                 // half a u32
  EXPECT_FALSE(value_of(raw({7, 0, 0, 0, 2})));                                                    // a bool of 2
  EXPECT_FALSE(value_of(raw({9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));                   // an array of arrays
  EXPECT_FALSE(value_of(raw({9, 0, 0, 0, 10, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255})));  // 2^64 - 1 elements
  EXPECT_TRUE(value_of(raw({9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 42})));
}

TEST_F(GgufStored, StreamsGiveWhatTheTensorHas) {
  for (const std::size_t given : {5U, 6U, 7U}) {
    GgufWriter writer;
    ASSERT_TRUE(writer.add_streamed({"t", DType::f16, {3}}, [&](const GgufWriter::Append& append) -> Status {
      const test::Bytes bytes = test::counted_bytes(given);
      if (auto put = append(std::span(bytes).first(2)); !put) return put;
      return append(std::span(bytes).subspan(2));
    }));
    const Status written = writer.write(folder_ / "s.gguf");
    EXPECT_EQ(written.has_value(), given == 6U) << given;
    EXPECT_EQ(std::filesystem::exists(folder_ / "s.gguf"), given == 6U) << given;
    if (given == 6U) std::filesystem::remove(folder_ / "s.gguf");
  }
}

}  // namespace
}  // namespace weft::models
