// Embedded files hold exactly the bytes of the files on disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/embedded_file.hpp"

namespace weft::embed_test {

std::span<const EmbeddedFile> files();
std::span<const EmbeddedFile> no_files();

namespace {

TEST(Embed, KeepsEveryByte) {
  ASSERT_EQ(files().size(), 3U);
  for (const EmbeddedFile& file : files()) {
    std::ifstream stream(std::filesystem::path(WEFT_SOURCE_DIR) / file.path, std::ios::binary);
    ASSERT_TRUE(stream) << file.path;
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    EXPECT_TRUE(file.text == text) << file.path << ": " << text.size() << " bytes, embedded " << file.text.size();
  }
}

TEST(Embed, ShortLongAndEmptyFilesAreMeant) {
  EXPECT_EQ(files()[0].path, "tests/embed/data/awkward.txt");
  EXPECT_GT(files()[1].text.size(), 60000U);
  EXPECT_TRUE(files()[2].text.empty());
}

TEST(Embed, NoFilesGiveAnEmptyList) { EXPECT_TRUE(no_files().empty()); }

}  // namespace
}  // namespace weft::embed_test
