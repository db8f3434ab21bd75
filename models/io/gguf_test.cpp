// Opening GGUF files: the good variants, and damaged headers and metadata.
#include "models/io/gguf.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {
namespace {

using test::GgufFiles;
using test::RawBytes;

class Gguf : public GgufFiles {
 protected:
  Result<std::shared_ptr<const GgufFile>> written(const GgufWriter& writer) {
    const auto path = folder_ / "file.gguf";
    const auto status = writer.write(path);
    EXPECT_TRUE(status) << status.error().message;
    return GgufFile::open(path);
  }
};

RawBytes one_pair(std::string_view key, std::uint32_t type) {
  RawBytes raw;
  raw.header(0, 1).text(key).u32(type);
  return raw;
}

TEST_F(Gguf, EmptyFileIsItsHeaderAlone) {
  for (const std::uint32_t version : {2U, 3U}) {
    const auto file = open(RawBytes().header(0, 0, version));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->version(), version);
    EXPECT_EQ((*file)->alignment(), 32U);
    EXPECT_TRUE((*file)->metadata().empty());
    EXPECT_TRUE((*file)->tensors().empty());
  }
}

TEST_F(Gguf, ReadModeHoldsTheSameAsMapped) {
  const RawBytes raw = RawBytes().header(1, 0).record("t", {8}, 0, 0).pad().data(32);
  const auto mapped = open(raw.bytes(), LoadMode::mapped);
  const auto read = open(raw.bytes(), LoadMode::read);
  ASSERT_TRUE(mapped && read);
  const auto a = (*mapped)->data((*mapped)->tensors()[0]);
  const auto b = (*read)->data((*read)->tensors()[0]);
  EXPECT_TRUE(std::ranges::equal(a, b));
  EXPECT_EQ(b.size(), 32U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 32, 0U);
}

TEST_F(Gguf, CustomAlignmentPlacesTensors) {
  for (const std::uint32_t alignment : {8U, 64U, 4096U}) {
    GgufWriter writer;
    writer.set("general.alignment", alignment);
    ASSERT_TRUE(writer.add_tensor({"a", DType::f32, {3}}, test::counted_bytes(12)));
    ASSERT_TRUE(writer.add_tensor({"b", DType::f16, {1, 5}}, test::counted_bytes(10, 100)));
    const auto file = written(writer);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->alignment(), alignment);
    const GgufTensor* b = (*file)->find_tensor("b");
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->offset, std::max(alignment, 16U));
    EXPECT_EQ((*file)->data(*b)[0], std::byte{100});
    EXPECT_EQ((*file)->data(*b)[9], std::byte{109});
  }
}

TEST_F(Gguf, ScalarsOfEachTypeAreWidened) {
  GgufWriter writer(2);
  writer.set("u8", std::uint8_t{255});
  writer.set("i8", std::int8_t{-128});
  writer.set("u16", std::uint16_t{65535});
  writer.set("i16", std::int16_t{-32768});
  writer.set("u32", std::uint32_t{4294967295U});
  writer.set("i32", std::numeric_limits<std::int32_t>::min());
  writer.set("u64", std::uint64_t{1} << 63);
  writer.set("u64 small", std::uint64_t{7});
  writer.set("i64", std::numeric_limits<std::int64_t>::min());
  writer.set("f32", 0.5F);
  writer.set("f64", 0.1);
  writer.set("bool", true);
  writer.set("text", std::string("a\0b", 3));
  const auto file = written(writer);
  ASSERT_TRUE(file) << file.error().message;
  const auto expect = [&](std::string_view key, const GgufValue& value) {
    ASSERT_NE((*file)->find(key), nullptr) << key;
    EXPECT_TRUE(*(*file)->find(key) == value) << key;
  };
  expect("u8", std::int64_t{255});
  expect("i8", std::int64_t{-128});
  expect("u16", std::int64_t{65535});
  expect("i16", std::int64_t{-32768});
  expect("u32", std::int64_t{4294967295});
  expect("i32", std::int64_t{std::numeric_limits<std::int32_t>::min()});
  expect("u64", std::uint64_t{1} << 63);
  expect("u64 small", std::int64_t{7});
  expect("i64", std::numeric_limits<std::int64_t>::min());
  expect("f32", 0.5);
  expect("f64", 0.1);
  expect("bool", true);
  expect("text", std::string("a\0b", 3));
  EXPECT_EQ((*file)->metadata()[0].first, "u8") << "file order is kept";
  EXPECT_EQ((*file)->find("absent"), nullptr);
}

template <class T>
class GgufArrays : public Gguf {};
using ArrayElements = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                                       std::int32_t, std::uint64_t, std::int64_t, float, double, bool>;
TYPED_TEST_SUITE(GgufArrays, ArrayElements);

TYPED_TEST(GgufArrays, KeepOrderAndRange) {
  using Limits = std::numeric_limits<TypeParam>;
  TypeParam most = Limits::max();
  if constexpr (std::is_same_v<TypeParam, std::uint64_t>) most /= 2;
  GgufWriter writer;
  writer.set("none", std::vector<TypeParam>{});
  writer.set("some", std::vector<TypeParam>{Limits::lowest(), most, TypeParam{1}});
  const auto file = this->written(writer);
  ASSERT_TRUE(file) << file.error().message;
  using Wide = std::conditional_t<std::is_same_v<TypeParam, bool>, std::uint8_t,
                                  std::conditional_t<std::is_floating_point_v<TypeParam>, double, std::int64_t>>;
  const auto array = [&](std::string_view key) {
    return std::get<std::vector<Wide>>(std::get<GgufArray>(*(*file)->find(key)));
  };
  EXPECT_TRUE(array("none").empty());
  EXPECT_EQ(array("some"), (std::vector<Wide>{static_cast<Wide>(Limits::lowest()), static_cast<Wide>(most), Wide{1}}));
}

TEST_F(Gguf, TextArraysKeepNulAndEmptyElements) {
  GgufWriter writer;
  const std::vector<std::string> tokens{"", std::string(1, '\0'), "<0x00>", "\xFF", "é"};
  writer.set("tokens", tokens);
  const auto file = written(writer);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(std::get<std::vector<std::string>>(std::get<GgufArray>(*(*file)->find("tokens"))), tokens);
}

TEST_F(Gguf, HeaderErrors) {
  expect_refused(RawBytes(), ErrorCode::invalid_file, {"has 0 bytes", "24"});
  expect_refused(RawBytes().letters("GGUF").u32(3).u64(0).u32(0), ErrorCode::invalid_file, {"has 20 bytes"});
  expect_refused(RawBytes().letters("GGML").u32(3).u64(0).u64(0), ErrorCode::invalid_file, {"no GGUF file"});
  expect_refused(RawBytes().header(0, 0, 0), ErrorCode::invalid_file, {"version is 0", "2 or 3 wanted"});
  expect_refused(RawBytes().header(0, 0, 1), ErrorCode::unsupported, {"version 1", "re-convert"});
  expect_refused(RawBytes().header(0, 0, 4), ErrorCode::invalid_file, {"version is 4"});
  expect_refused(RawBytes().header(0, 0, 0x03000000), ErrorCode::unsupported, {"big-endian"});
}

TEST_F(Gguf, CountsAreBoundedByTheFile) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1} << 30, std::uint64_t{1} << 63, most}) {
    expect_refused(RawBytes().header(count, 0), ErrorCode::invalid_file, {"tensor count is", "hold 0 records"});
    expect_refused(RawBytes().header(0, count), ErrorCode::invalid_file, {"metadata count is", "hold 0 pairs"});
  }
}

TEST_F(Gguf, KeyErrors) {
  expect_refused(RawBytes().header(0, 1).u64(0).u32(0).u64(1), ErrorCode::invalid_file, {"pair 1 of 1", "empty"});
  expect_refused(one_pair(std::string_view("a\0b", 3), 0).put('\1'), ErrorCode::invalid_file, {"NUL", "a\\x00b"});
  expect_refused(one_pair(std::string(65536, 'k'), 0).put('\1'), ErrorCode::invalid_file, {"65536 bytes", "65535"});
  expect_refused(RawBytes().header(0, 1).u64(~std::uint64_t{0}).data(16), ErrorCode::invalid_file,
                 {"key", "18446744073709551615 bytes wanted", "16 left"});
  RawBytes twice;
  twice.header(0, 2).text("k").u32(0).put('\1').text("k").u32(0).put('\2');
  expect_refused(twice, ErrorCode::invalid_file, {"'k' occurs twice"});
  const auto longest = open(one_pair(std::string(65535, 'k'), 0).put('\1'));
  EXPECT_TRUE(longest) << longest.error().message;
}

TEST_F(Gguf, ValueErrors) {
  expect_refused(one_pair("k", 13).u64(0), ErrorCode::invalid_file, {"'k'", "type is 13", "0 to 12"});
  expect_refused(one_pair("k", 0xFFFFFFFF).u64(0), ErrorCode::invalid_file, {"type is 4294967295"});
  expect_refused(one_pair("k", 10).u32(0), ErrorCode::invalid_file, {"'k'", "8 bytes wanted", "4 left"});
  expect_refused(one_pair("k", 7).put('\2'), ErrorCode::invalid_file, {"'k'", "bool holds 2"});
  expect_refused(one_pair("k", 8).u64(5).letters("1234"), ErrorCode::invalid_file, {"'k'", "string", "5 bytes wanted"});
}

TEST_F(Gguf, ArrayErrors) {
  expect_refused(one_pair("k", 9).u32(9).u64(0), ErrorCode::unsupported, {"'k'", "array of arrays"});
  expect_refused(one_pair("k", 9).u32(13).u64(0), ErrorCode::invalid_file, {"'k'", "element type is 13"});
  expect_refused(one_pair("k", 9).u32(4).u64(2).u32(1), ErrorCode::invalid_file, {"'k'", "2 elements", "4 bytes left"});
  // 2^62 elements of 4 bytes: the product wraps to zero.
  expect_refused(one_pair("k", 9).u32(4).u64(std::uint64_t{1} << 62), ErrorCode::invalid_file, {"4611686018427387904"});
  expect_refused(one_pair("k", 9).u32(8).u64(2).text("a"), ErrorCode::invalid_file, {"'k'", "2 elements"});
  expect_refused(one_pair("k", 9).u32(8).u64(1).u64(~std::uint64_t{7}), ErrorCode::invalid_file, {"element 0"});
  expect_refused(one_pair("k", 9).u32(7).u64(2).put('\1').put('\3'), ErrorCode::invalid_file, {"element 1", "holds 3"});
  expect_refused(one_pair("k", 9).u32(10).u64(1).u64(std::uint64_t{1} << 63), ErrorCode::unsupported, {"element 0"});
}

TEST_F(Gguf, AlignmentErrors) {
  for (const std::uint32_t bad : {0U, 1U, 4U, 12U, 33U, 2097152U, 4294967295U}) {
    expect_refused(one_pair("general.alignment", 4).u32(bad), ErrorCode::invalid_file,
                   {"general.alignment", std::to_string(bad), "power of two"});
  }
  expect_refused(one_pair("general.alignment", 10).u64(32), ErrorCode::invalid_file, {"uint64", "uint32 wanted"});
  expect_refused(one_pair("general.alignment", 5).u32(32), ErrorCode::invalid_file, {"int32", "uint32 wanted"});
}

TEST_F(Gguf, PathsThatAreNoFile) {
  for (const LoadMode mode : {LoadMode::mapped, LoadMode::read}) {
    const auto absent = GgufFile::open(folder_ / "absent\n.gguf", mode);
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(absent.error().message.find("absent\\n.gguf"), std::string::npos) << absent.error().message;
    const auto folder = GgufFile::open(folder_.path(), mode);
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().message.find("is a folder"), std::string::npos) << folder.error().message;
    const auto device = GgufFile::open("/dev/null", mode);
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, ErrorCode::invalid_argument);
  }
}

}  // namespace
}  // namespace weft::models
