// Tensor records: shapes, types, sizes that wrap, and data that isn't where it should be.
#include <gtest/gtest.h>

#include "models/io/ggml_types.hpp"
#include "models/io/gguf.hpp"
#include "models/io/gguf_parse.hpp"
#include "models/io/gguf_test_files.hpp"

namespace weft::models {
namespace {

using test::RawBytes;

constexpr std::uint32_t f32 = 0;
constexpr std::uint32_t q4_0 = 2;

class GgufTensors : public test::GgufFiles {
 protected:
  void expect_record_refused(const std::vector<std::uint64_t>& stored_dims, std::uint32_t type, ErrorCode code,
                             const std::vector<std::string>& parts) {
    expect_refused(RawBytes().header(1, 0).record("bad", stored_dims, type, 0).pad().data(4096), code, parts);
  }
};

/// The sizes fit in 64 bits, rounded up to the alignment they wrap to zero.
struct Wrapping {
  std::vector<std::uint64_t> dims{4, 1073741823, 1073741825};
  std::string bytes = "18446744073709551600";
};

TEST_F(GgufTensors, DimsAreOutermostFirst) {
  const auto file = open(RawBytes().header(1, 0).record("w", {64, 3, 2}, q4_0, 0).pad().data(216));
  ASSERT_TRUE(file) << file.error().message;
  const GgufTensor& w = (*file)->tensors()[0];
  EXPECT_EQ(w.dims, (std::vector<std::int64_t>{2, 3, 64}));
  EXPECT_EQ(w.dtype, DType::q4_0);
  EXPECT_EQ(w.type_name, "Q4_0");
  EXPECT_EQ(w.bytes, 216U);
  EXPECT_EQ((*file)->data(w).size(), 216U) << "no tail padding needed";
}

TEST_F(GgufTensors, PaddedSizeThatWrapsIsRefusedWhereverItStands) {
  const Wrapping wrap;
  RawBytes last;
  last.header(2, 1).text("general.architecture").u32(8).text("llama");
  last.record("a", {64}, f32, 0).record("b", wrap.dims, f32, 256).pad().data(256);
  expect_refused(last, ErrorCode::invalid_file, {"'b'", wrap.bytes, "0 are left of the 256"});
  RawBytes first;
  first.header(3, 0).record("b", wrap.dims, f32, 0).record("a", {64}, f32, 0).record("c", {64}, f32, 256);
  expect_refused(first.pad().data(512), ErrorCode::invalid_file, {"'b'", wrap.bytes, "512 are left"});
  RawBytes alone;
  alone.header(1, 0).record("b", wrap.dims, f32, 0);
  expect_refused(alone.pad(), ErrorCode::invalid_file, {"'b'", wrap.bytes, "0 are left"});
}

TEST_F(GgufTensors, BadFirstRecordOfThreeIsNoEndOfTheList) {
  RawBytes raw;
  raw.header(3, 0).record("a", {8}, 99, 0).record("b", {8}, f32, 0).record("c", {8}, f32, 32);
  expect_refused(raw.pad().data(64), ErrorCode::invalid_file, {"'a'", "type id is 99"});
}

TEST_F(GgufTensors, ZeroDimensionsAreLegal) {
  const std::vector<std::vector<std::uint64_t>> shapes{{0}, {4, 0, 4, 4}, {0, 7}, {32, 0}, {0, 0, 0, 0}};
  for (const auto& shape : shapes) {
    for (const std::uint32_t type : {f32, q4_0}) {
      if (type == q4_0 && shape[0] == 4) continue;
      const auto file = open(RawBytes().header(1, 0).record("empty", shape, type, 0));
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_EQ((*file)->tensors()[0].bytes, 0U);
      EXPECT_TRUE((*file)->data((*file)->tensors()[0]).empty());
    }
  }
}

TEST_F(GgufTensors, ZeroDimensionHidesNoOverflow) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 62;
  expect_record_refused({0, huge, huge}, f32, ErrorCode::invalid_file, {"'bad'", "more elements"});
  expect_record_refused({huge, huge, 0}, f32, ErrorCode::invalid_file, {"'bad'", "more elements"});
  expect_record_refused({0, huge, 1}, 28, ErrorCode::invalid_file, {"'bad'", "more bytes"});
}

TEST_F(GgufTensors, NoDimensionsIsAScalar) {
  const auto file = open(RawBytes().header(1, 0).record("scalar", {}, f32, 0).pad().data(4));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE((*file)->tensors()[0].dims.empty());
  EXPECT_EQ((*file)->data((*file)->tensors()[0]).size(), 4U);
  expect_record_refused({}, q4_0, ErrorCode::invalid_file, {"'bad'", "1 elements", "multiple of 32"});
}

TEST_F(GgufTensors, EmptyTensorMayLieInMissingTailPadding) {
  RawBytes raw;
  raw.header(2, 0).record("a", {1}, f32, 0).record("empty", {0}, f32, 32).pad().data(4);
  const auto file = open(raw);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE((*file)->data((*file)->tensors()[1]).empty());
  RawBytes beyond;
  beyond.header(2, 0).record("a", {1}, f32, 0).record("empty", {0}, f32, 64).pad().data(4);
  expect_refused(beyond, ErrorCode::invalid_file, {"'empty'", "offset 64"});
}

TEST_F(GgufTensors, ShapeErrors) {
  expect_record_refused({1, 1, 1, 1, 1}, f32, ErrorCode::invalid_file, {"'bad'", "5 dimensions", "4 at most"});
  expect_record_refused({~std::uint64_t{0}}, f32, ErrorCode::invalid_file, {"dimension 0 is 18446744073709551615"});
  expect_record_refused({8, std::uint64_t{1} << 63}, f32, ErrorCode::invalid_file, {"dimension 1 is"});
  expect_record_refused({std::uint64_t{1} << 40, std::uint64_t{1} << 40}, f32, ErrorCode::invalid_file, {"elements"});
  expect_record_refused({33}, q4_0, ErrorCode::invalid_file, {"33 elements", "multiple of 32", "Q4_0"});
  RawBytes count;
  count.header(1, 0).text("bad").u32(0xFFFFFFFF).data(64);
  expect_refused(count, ErrorCode::invalid_file, {"'bad'", "4294967295 dimensions"});
}

TEST_F(GgufTensors, TypeErrors) {
  for (const std::uint32_t removed : {4U, 5U, 31U, 32U, 33U, 36U, 37U, 38U}) {
    expect_record_refused({256}, removed, ErrorCode::unsupported,
                          {"'bad'", std::to_string(removed), "removed type, re-convert"});
    expect_record_refused({0}, removed, ErrorCode::unsupported, {"re-convert"});
  }
  for (const std::uint32_t unknown : {43U, 255U, 0x80000000U, 0xFFFFFFFFU}) {
    expect_record_refused({256}, unknown, ErrorCode::invalid_file, {"'bad'", std::to_string(unknown), "unknown"});
  }
}

TEST_F(GgufTensors, TypesWithoutComputeStillLoad) {
  for (std::uint32_t id = 0; id < 43; ++id) {
    const GgmlType* type = find_ggml_type(id);
    ASSERT_NE(type, nullptr);
    if (type->removed()) continue;
    RawBytes raw;
    raw.header(1, 0).record("t", {type->block_elements * 3, 5}, id, 0).pad().data(15 * type->block_bytes);
    const auto file = open(raw);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->tensors()[0].bytes, 15 * type->block_bytes) << type->name;
    EXPECT_EQ((*file)->tensors()[0].type_name, type->name);
  }
}

TEST_F(GgufTensors, NameErrors) {
  const std::string longest(63, 'n');
  EXPECT_TRUE(open(RawBytes().header(1, 0).record(longest, {0}, f32, 0)));
  expect_refused(RawBytes().header(1, 0).record(longest + "n", {0}, f32, 0), ErrorCode::invalid_file,
                 {"record 1 of 1", "64 bytes", "63 at most"});
  expect_refused(RawBytes().header(1, 0).record(std::string_view("a\0b", 3), {0}, f32, 0), ErrorCode::invalid_file,
                 {"NUL"});
  expect_refused(RawBytes().header(1, 0).u64(~std::uint64_t{0}).data(32), ErrorCode::invalid_file, {"name"});
  RawBytes twice;
  twice.header(2, 0).record("same", {8}, f32, 0).record("same", {8}, f32, 32).pad().data(64);
  expect_refused(twice, ErrorCode::invalid_file, {"'same' occurs twice"});
}

TEST_F(GgufTensors, DataErrors) {
  expect_refused(RawBytes().header(1, 0).record("t", {8}, f32, 0).pad().data(31), ErrorCode::invalid_file,
                 {"'t'", "32 bytes wanted", "31 are left"});
  expect_refused(RawBytes().header(1, 0).record("t", {8}, f32, 0), ErrorCode::invalid_file, {"0 are left"});
  expect_refused(RawBytes().header(1, 0).record("t", {8}, f32, 8).pad().data(64), ErrorCode::invalid_file,
                 {"'t'", "offset is 8", "alignment 32"});
  expect_refused(RawBytes().header(1, 0).record("t", {8}, f32, ~std::uint64_t{31}).pad().data(64),
                 ErrorCode::invalid_file, {"'t'", "18446744073709551584"});
  RawBytes overlap;
  overlap.header(3, 0).record("a", {8}, f32, 64).record("b", {24}, f32, 0).record("e", {0}, f32, 64).pad().data(96);
  expect_refused(overlap, ErrorCode::invalid_file, {"'b'", "'a'", "overlap"});
}

TEST_F(GgufTensors, GapsAndOtherOrdersAreAccepted) {
  RawBytes raw;
  raw.header(2, 0).record("late", {8}, f32, 96).record("early", {8}, f32, 0).pad().data(128);
  const auto file = open(raw);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->data((*file)->tensors()[0])[0], std::byte{96});
  EXPECT_EQ((*file)->tensors()[0].name, "late") << "file order is kept";
}

TEST(GgmlTypes, AgreeWithWeftTypes) {
  for (const DType dtype : weight_types()) {
    const auto id = ggml_type_of(dtype);
    ASSERT_TRUE(id) << name_of(dtype);
    const GgmlType& type = *find_ggml_type(*id);
    EXPECT_EQ(type.block_elements, static_cast<std::uint64_t>(info(dtype).block_elements)) << type.name;
    EXPECT_EQ(type.block_bytes, static_cast<std::uint64_t>(info(dtype).block_bytes)) << type.name;
  }
  for (std::uint32_t id = 0; id < 43; ++id) EXPECT_EQ(find_ggml_type(id)->id, id);
  EXPECT_EQ(find_ggml_type(43), nullptr);
  EXPECT_FALSE(ggml_type_of(DType::none));
  EXPECT_FALSE(ggml_type_of(DType::state));
  EXPECT_EQ(ggml_type_of(DType::i32), 26U);
}

}  // namespace
}  // namespace weft::models
