// Includes among embedded sources.
#include "backends/opencl/source_assembly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace weft::opencl {
namespace {

constexpr std::array files{EmbeddedFile{"a.cl", "#include \"b.cl\"\n#include \"c.cl\"\nlast\n"},
                           EmbeddedFile{"b.cl", "#include \"c.cl\"\nmiddle"}, EmbeddedFile{"c.cl", "first\n"},
                           EmbeddedFile{"bad.cl", "#include \"none.cl\"\n"}};

TEST(SourceAssembly, EachFileComesOnceAndBeforeWhatNeedsIt) {
  EXPECT_EQ(assemble_source(files, "a.cl").value(), "first\nmiddle\nlast\n");
}

TEST(SourceAssembly, AMissingFileIsNamedWithWhoWantsIt) {
  const auto missing = assemble_source(files, "bad.cl");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("none.cl"));
  EXPECT_THAT(missing.error().message, testing::HasSubstr("bad.cl"));
}

TEST(SourceAssembly, EverySourceThatIsBuiltInAssembles) {
  EXPECT_FALSE(embedded_sources().empty());
  for (const EmbeddedFile& file : embedded_sources()) {
    const auto text = assemble_source(embedded_sources(), file.path);
    EXPECT_TRUE(text) << text.error().message;
  }
}

}  // namespace
}  // namespace weft::opencl
