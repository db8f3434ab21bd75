// Listings of a file: right sums, valid JSON whatever the bytes, nothing that a terminal would act on.
#include "models/io/gguf_describe.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

class GgufDescribe : public ::testing::Test {
 protected:
  void SetUp() override {
    GgufWriter writer;
    writer.set("general.name", std::string("line 1\nline 2 \x1B[31mred"));
    writer.set("eps", 1e-5F);
    writer.set("wide", ~std::uint64_t{0});
    writer.set("flag", true);
    writer.set("not a number", std::numeric_limits<float>::quiet_NaN());
    writer.set("tokens", std::vector<std::string>{std::string(1, '\0'), "\xFF\xFE", "é", "\"\\", "<0x00>", "last"});
    writer.set("bools", std::vector<bool>{true, false});
    ASSERT_TRUE(writer.add_tensor({"w", DType::q8_0, {3, 64}}, test::Bytes(204)));
    ASSERT_TRUE(writer.add_tensor({"v", DType::q8_0, {32}}, test::Bytes(34)));
    ASSERT_TRUE(writer.add_tensor({"scalar", DType::f32, {}}, test::Bytes(4)));
    ASSERT_TRUE(writer.add_tensor({"empty", DType::f32, {5, 0}}, test::Bytes{}));
    ASSERT_TRUE(writer.write(folder_ / "m.gguf"));
    const auto opened = GgufFile::open(folder_ / "m.gguf");
    ASSERT_TRUE(opened) << opened.error().message;
    file_ = *opened;
  }

  test::TemporaryFolder folder_;
  std::shared_ptr<const GgufFile> file_;
};

TEST_F(GgufDescribe, JsonHoldsEverything) {
  const auto json = nlohmann::json::parse(describe_json(*file_), nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << describe_json(*file_);
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["alignment"], 32);
  EXPECT_EQ(json["total"], (nlohmann::json{{"tensors", 4}, {"parameters", 225}, {"bytes", 242}}));
  EXPECT_EQ(json["types"]["Q8_0"], (nlohmann::json{{"tensors", 2}, {"parameters", 224}, {"bytes", 238}}));
  EXPECT_EQ(json["types"]["F32"]["parameters"], 1);
  EXPECT_EQ(json["tensors"][0]["shape"], (nlohmann::json{3, 64}));
  EXPECT_EQ(json["tensors"][2]["shape"], nlohmann::json::array());
  EXPECT_EQ(json["tensors"][3]["bytes"], 0);
  EXPECT_EQ(json["metadata"]["eps"], 1e-5);
  EXPECT_EQ(json["metadata"]["wide"], ~std::uint64_t{0});
  EXPECT_EQ(json["metadata"]["flag"], true);
  EXPECT_TRUE(json["metadata"]["not a number"].is_null());
  EXPECT_EQ(json["metadata"]["bools"], (nlohmann::json{true, false}));
}

TEST_F(GgufDescribe, JsonStringsSurviveNulAndBrokenUtf8) {
  const std::string text = describe_json(*file_);
  EXPECT_NE(text.find("\"\\u0000\""), std::string::npos);
  const auto json = nlohmann::json::parse(text, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  const auto& tokens = json["metadata"]["tokens"];
  ASSERT_EQ(tokens.size(), 6U);
  EXPECT_EQ(tokens[0], std::string(1, '\0'));
  EXPECT_EQ(tokens[1], "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(tokens[2], "é");
  EXPECT_EQ(tokens[3], "\"\\");
}

TEST_F(GgufDescribe, TableIsSafeToPrint) {
  const std::string text = describe_text(*file_);
  EXPECT_NE(text.find("line 1\\nline 2 \\x1B[31mred"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(["\x00", "\xFF\xFE", "é", )"), std::string::npos) << text;
  EXPECT_NE(text.find("... 6 in all]"), std::string::npos) << text;
  EXPECT_NE(text.find("4, 225 parameters, 242 B"), std::string::npos) << text;
  EXPECT_NE(text.find("[3, 64]"), std::string::npos) << text;
  EXPECT_NE(text.find("1e-05"), std::string::npos) << text;
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
}

TEST_F(GgufDescribe, EmptyFile) {
  ASSERT_TRUE(GgufWriter().write(folder_ / "empty.gguf"));
  const auto file = GgufFile::open(folder_ / "empty.gguf");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_NE(describe_text(**file).find("0, 0 parameters, 0 B"), std::string::npos);
  const auto json = nlohmann::json::parse(describe_json(**file), nullptr, false);
  EXPECT_EQ(json["metadata"], nlohmann::json::object());
  EXPECT_EQ(json["tensors"], nlohmann::json::array());
}

TEST(Printable, EscapesWhatIsNoText) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("plain ä 你 🎉"), "plain ä 你 🎉");
  EXPECT_EQ(printable(std::string_view("\0\n\t\r\x7F", 5)), "\\x00\\n\\t\\r\\x7F");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xC2\\x9B31m")
      << "C1 control sequence introducer";
  EXPECT_EQ(printable("\xC0\x80"), "\\xC0\\x80") << "overlong";
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80") << "surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80") << "above U+10FFFF";
  EXPECT_EQ(printable("\xE4\xBD"), "\\xE4\\xBD") << "cut short";
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab你", 3), "ab你") << "no character is cut";
}

TEST(Printable, Utf8Lengths) {
  EXPECT_EQ(utf8_length(""), 0U);
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("é"), 2U);
  EXPECT_EQ(utf8_length("\xE0\xA0\x80"), 3U);
  EXPECT_EQ(utf8_length("\xE0\x9F\xBF"), 0U);
  EXPECT_EQ(utf8_length("\xF0\x90\x80\x80"), 4U);
  EXPECT_EQ(utf8_length("\xF0\x8F\xBF\xBF"), 0U);
  EXPECT_EQ(utf8_length("\xF5\x80\x80\x80"), 0U);
  EXPECT_EQ(utf8_length("\x80"), 0U);
}

}  // namespace
}  // namespace weft::models
