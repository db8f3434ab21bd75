// Typed access: every width a writer may choose, and keys that hold something else.
#include <gtest/gtest.h>

#include "models/io/gguf.hpp"
#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {
namespace {

class GgufAccess : public ::testing::Test {
 protected:
  void SetUp() override {
    GgufWriter writer;
    writer.set("u8", std::uint8_t{3});
    writer.set("i32", std::int32_t{-1});
    writer.set("u64", std::uint64_t{30});
    writer.set("u64 wide", ~std::uint64_t{0});
    writer.set("f32", 1.5F);
    writer.set("bool", true);
    writer.set("text", std::string("llama"));
    writer.set("bools", std::vector<bool>{true, false, true});
    writer.set("floats", std::vector<float>{0.5F, -2.0F});
    writer.set("ints", std::vector<std::int16_t>{-7, 9});
    writer.set("texts", std::vector<std::string>{"a", ""});
    ASSERT_TRUE(writer.write(folder_ / "m.gguf"));
    auto opened = GgufFile::open(folder_ / "m.gguf");
    ASSERT_TRUE(opened) << opened.error().message;
    file_ = *opened;
  }

  template <class T>
  void expect_wrong(const Result<T>& result, const std::vector<std::string>& parts) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid_file);
    EXPECT_NE(result.error().message.find("m.gguf"), std::string::npos) << result.error().message;
    for (const auto& part : parts) EXPECT_NE(result.error().message.find(part), std::string::npos) << part;
  }

  test::TemporaryFolder folder_;
  std::shared_ptr<const GgufFile> file_;
};

TEST_F(GgufAccess, Integers) {
  EXPECT_EQ(file_->integer("u8").value(), 3);
  EXPECT_EQ(file_->integer("i32").value(), -1);
  EXPECT_EQ(file_->integer("u64").value(), 30);
  EXPECT_EQ(file_->integer("absent").value(), std::nullopt);
  expect_wrong(file_->integer("u64 wide"), {"'u64 wide'", "18446744073709551615", "at most 9223372036854775807"});
  expect_wrong(file_->integer("f32"), {"'f32'", "is float", "integer"});
  expect_wrong(file_->integer("bool"), {"is bool"});
  expect_wrong(file_->integer("ints"), {"array of integer"});
}

TEST_F(GgufAccess, OtherScalars) {
  EXPECT_EQ(file_->number("f32").value(), 1.5);
  EXPECT_EQ(file_->number("i32").value(), -1.0);
  EXPECT_EQ(file_->number("u64 wide").value(), 18446744073709551616.0);
  expect_wrong(file_->number("text"), {"'text'", "is text", "a number wanted"});
  EXPECT_EQ(file_->boolean("bool").value(), true);
  expect_wrong(file_->boolean("u8"), {"'u8'", "is integer", "a bool wanted"});
  EXPECT_EQ(file_->text("text").value(), "llama");
  expect_wrong(file_->text("texts"), {"array of text"});
  EXPECT_EQ(file_->number("absent").value(), std::nullopt);
  EXPECT_EQ(file_->boolean("absent").value(), std::nullopt);
  EXPECT_EQ(file_->text("absent").value(), std::nullopt);
}

TEST_F(GgufAccess, ScalarOrArray) {
  using Integers = std::vector<std::int64_t>;
  EXPECT_EQ(file_->integers("ints").value(), (Integers{-7, 9}));
  EXPECT_EQ(file_->integers("bools").value(), (Integers{1, 0, 1}));
  EXPECT_EQ(file_->integers("u8").value(), (Integers{3}));
  EXPECT_EQ(file_->integers("bool").value(), (Integers{1}));
  expect_wrong(file_->integers("floats"), {"'floats'", "array of float", "integers or bools"});
  expect_wrong(file_->integers("u64 wide"), {"18446744073709551615"});
  EXPECT_EQ(file_->numbers("floats").value(), (std::vector<double>{0.5, -2.0}));
  EXPECT_EQ(file_->numbers("ints").value(), (std::vector<double>{-7.0, 9.0}));
  EXPECT_EQ(file_->numbers("f32").value(), (std::vector<double>{1.5}));
  expect_wrong(file_->numbers("bools"), {"array of bool", "numbers wanted"});
  EXPECT_EQ(file_->integers("absent").value(), std::nullopt);
  EXPECT_EQ(file_->numbers("absent").value(), std::nullopt);
}

TEST_F(GgufAccess, Texts) {
  const auto texts = file_->texts("texts").value();
  ASSERT_TRUE(texts);
  EXPECT_EQ(std::vector<std::string>(texts->begin(), texts->end()), (std::vector<std::string>{"a", ""}));
  EXPECT_FALSE(file_->texts("absent").value());
  expect_wrong(file_->texts("text"), {"is text", "array of text wanted"});
  expect_wrong(file_->texts("ints"), {"array of integer"});
}

TEST_F(GgufAccess, RequiredKeys) {
  EXPECT_EQ(file_->required_integer("u8").value(), 3);
  EXPECT_EQ(file_->required_number("u8").value(), 3.0);
  EXPECT_EQ(file_->required_text("text").value(), "llama");
  expect_wrong(file_->required_integer("llama.context_length"), {"'llama.context_length' is missing"});
  expect_wrong(file_->required_number("absent"), {"missing", "a number"});
  expect_wrong(file_->required_text("absent"), {"missing", "text"});
  expect_wrong(file_->required_integer("text"), {"is text"});
}

template <class T>
class TokenTypes : public ::testing::Test {};
using Widths = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                                std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(TokenTypes, Widths);

TYPED_TEST(TokenTypes, ReadTheSameFromEveryWidth) {
  const test::TemporaryFolder folder;
  GgufWriter writer;
  writer.set("tokenizer.ggml.token_type", std::vector<TypeParam>{1, 3, 6});
  ASSERT_TRUE(writer.write(folder / "m.gguf"));
  const auto file = GgufFile::open(folder / "m.gguf");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->integers("tokenizer.ggml.token_type").value(), (std::vector<std::int64_t>{1, 3, 6}));
}

}  // namespace
}  // namespace weft::models
