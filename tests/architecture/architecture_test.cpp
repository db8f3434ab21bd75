// Checks the source tree against the architecture rules, and the checker against small examples of what it must see.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/include_rules.hpp"
#include "tests/architecture/rules.hpp"
#include "tests/architecture/source_text.hpp"

namespace weft::architecture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> messages(std::string_view path, std::string_view text) {
  std::vector<std::string> result;
  for (const Violation& v : check_file(path, text)) result.push_back(v.message);
  return result;
}

/// A .cpp file with an opening comment and this one include.
std::vector<std::string> including(std::string_view path, std::string_view target) {
  return messages(path, fmt::format("// Job.\n#include {}\n", target));
}

struct Edge {
  std::string_view path;
  std::string_view target;
};

std::ostream& operator<<(std::ostream& out, const Edge& edge) { return out << edge.path << " -> " << edge.target; }

class ForbiddenInclude : public testing::TestWithParam<Edge> {};
TEST_P(ForbiddenInclude, IsReported) {
  EXPECT_THAT(including(GetParam().path, GetParam().target), ElementsAre(HasSubstr("may be included only")));
}
INSTANTIATE_TEST_SUITE_P(Libraries, ForbiddenInclude,
                         testing::Values(Edge{"core/a.cpp", "<CL/cl.h>"}, Edge{"backends/cpu/a.cpp", "<CL/cl.h>"},
                                         Edge{"backends/all.cpp", "<clblast.h>"}, Edge{"graph/a.cpp", "<tbb/arena.h>"},
                                         Edge{"backends/opencl/a.cpp", "<oneapi/tbb.h>"},
                                         Edge{"models/a.cpp", "<boost/program_options.hpp>"}));

class ForbiddenEdge : public testing::TestWithParam<Edge> {};
TEST_P(ForbiddenEdge, IsReported) {
  EXPECT_THAT(including(GetParam().path, GetParam().target), ElementsAre(HasSubstr("may not be included here")));
}
INSTANTIATE_TEST_SUITE_P(
    Folders, ForbiddenEdge,
    testing::Values(Edge{"core/a.cpp", "\"graph/ir.hpp\""}, Edge{"core/ops/a_test.cpp", "\"models/family.hpp\""},
                    Edge{"graph/a.cpp", "\"models/family.hpp\""}, Edge{"graph/a.cpp", "\"backends/all.hpp\""},
                    Edge{"models/a.cpp", "\"backends/all.hpp\""}, Edge{"models/a.cpp", "\"cli/verbs.hpp\""},
                    Edge{"backends/cpu/a.cpp", "\"graph/ir.hpp\""}, Edge{"backends/cpu/a.cpp", "\"models/family.hpp\""},
                    Edge{"backends/cpu/a.cpp", "\"backends/opencl/queue.hpp\""},
                    Edge{"backends/cpu/a.cpp", "\"backends/all.hpp\""}, Edge{"backends/all.cpp", "\"graph/ir.hpp\""},
                    Edge{"cli/a.cpp", "\"backends/cpu/arena.hpp\""},
                    Edge{"bench/a.cpp", "\"backends/reference/b.hpp\""},
                    Edge{"tests/goldens/a.cpp", "\"backends/opencl/queue.hpp\""},
                    Edge{"bench/a.cpp", "\"cli/verbs.hpp\""}, Edge{"core/a.cpp", "\"dtype.hpp\""}));

class AllowedEdge : public testing::TestWithParam<Edge> {};
TEST_P(AllowedEdge, IsSilent) { EXPECT_THAT(including(GetParam().path, GetParam().target), IsEmpty()); }
INSTANTIATE_TEST_SUITE_P(
    All, AllowedEdge,
    testing::Values(Edge{"core/a.cpp", "\"core/dtype.hpp\""}, Edge{"graph/a.cpp", "\"core/dtype.hpp\""},
                    Edge{"models/a.cpp", "\"graph/builder.hpp\""}, Edge{"models/a.cpp", "<nlohmann/json.hpp>"},
                    Edge{"backends/cpu/ops/add/avx2.cpp", "\"backends/cpu/arena.hpp\""},
                    Edge{"backends/cpu/a.cpp", "<oneapi/tbb/task_arena.h>"},
                    Edge{"backends/opencl/a.hpp.cpp", "<CL/cl.h>"},
                    Edge{"backends/all.cpp", "\"backends/cpu/cpu.hpp\""}, Edge{"cli/run.cpp", "\"backends/all.hpp\""},
                    Edge{"cli/run.cpp", "<boost/program_options.hpp>"}, Edge{"cli/bench.cpp", "\"bench/harness.hpp\""},
                    Edge{"tests/goldens/a.cpp", "\"backends/all.hpp\""}));

TEST(IncludeRules, JsonStaysOutOfHeaders) {
  EXPECT_THAT(messages("core/a.hpp", "// Job.\n#pragma once\n#include <nlohmann/json.hpp>\n"),
              ElementsAre(HasSubstr("only in .cpp files")));
}

TEST(IncludeRules, ReadsEveryWayToWriteAnInclude) {
  EXPECT_EQ(include_of("#include \"a/b.hpp\"")->target, "a/b.hpp");
  EXPECT_EQ(include_of("  #  include   <x>  // why")->target, "x");
  EXPECT_FALSE(include_of("// #include <x>").has_value());
  EXPECT_FALSE(include_of("#pragma once").has_value());
  EXPECT_FALSE(include_of("#include \"open").has_value());
  EXPECT_FALSE(include_of("#").has_value());
  EXPECT_FALSE(include_of("").has_value());
}

TEST(IncludeRules, CommentedAndQuotedIncludesDoNotCount) {
  EXPECT_THAT(messages("core/a.cpp", "// Job.\n/*\n#include \"graph/ir.hpp\"\n*/\n"), IsEmpty());
  EXPECT_THAT(messages("core/a.cpp", "// Job.\nauto s = R\"(\n#include <CL/cl.h>\n)\";\n"), IsEmpty());
}

TEST(Directives, MacrosAndBranchesAreReported) {
  EXPECT_THAT(messages("core/a.cpp", "// Job.\n#define A 1\n"), ElementsAre(HasSubstr("no macros")));
  EXPECT_THAT(messages("core/a.cpp", "// Job.\n# undef A\n"), ElementsAre(HasSubstr("no macros")));
  EXPECT_THAT(messages("cli/a.cpp", "// Job.\n#ifdef A\n#endif\n"), ElementsAre(HasSubstr("#if only in")));
  EXPECT_THAT(messages("core/a.cpp", "// Job.\n#if A\n#else\n#endif\n"), testing::SizeIs(2));
  EXPECT_THAT(messages("backends/all.cpp", "// Job.\n#ifdef WEFT_CPU\n#endif\n"), IsEmpty());
  EXPECT_THAT(messages("backends/cpu/isa.cpp", "// Job.\n#if defined(__AVX2__)\n#endif\n"), IsEmpty());
}

TEST(Directives, HeadersNeedPragmaOnce) {
  EXPECT_THAT(messages("core/a.hpp", "// Job.\n"), ElementsAre(HasSubstr("#pragma once")));
  EXPECT_THAT(messages("core/a.hpp", "// #pragma once\n"), ElementsAre(HasSubstr("#pragma once")));
}

TEST(Words, EnvironmentIsReadInCliOnly) {
  const std::string text = "// Job.\nconst char* home = std::getenv(\"HOME\");\n";
  EXPECT_THAT(messages("core/a.cpp", text), ElementsAre(HasSubstr("getenv")));
  EXPECT_THAT(messages("cli/a.cpp", text), IsEmpty());
  EXPECT_THAT(messages("core/a.cpp", "// no getenv here\nauto s = \"getenv\";\nint my_getenv_count;\n"), IsEmpty());
}

TEST(Words, MachinePathsAndUnfinishedWorkAreReportedInEveryFile) {
  const std::string path = "/ro" + std::string("ot/x");
  EXPECT_THAT(messages("README.md", "see " + path), ElementsAre(HasSubstr("no path of one machine")));
  EXPECT_THAT(messages("scripts/x", "cd \"" + path + "\""), ElementsAre(HasSubstr("no path of one machine")));
  EXPECT_THAT(messages("README.md", "docs" + path + " and ${dir}" + path + " and " + path + "y"),
              ElementsAre(HasSubstr("no path of one machine")));
  EXPECT_THAT(messages("docs/a.md", std::string("TO") + "DO: more"), ElementsAre(HasSubstr("unfinished work")));
  EXPECT_THAT(messages("core/a.cpp", std::string("// FIX") + "ME\n"), ElementsAre(HasSubstr("unfinished work")));
  EXPECT_THAT(messages("docs/a.md", "MASTODON"), IsEmpty());
}

TEST(Files, OpenWithACommentAndStayShort) {
  EXPECT_THAT(messages("core/a.cpp", ""), ElementsAre(HasSubstr("open with a comment")));
  EXPECT_THAT(messages("core/a.cpp", "int a;\n"), ElementsAre(HasSubstr("open with a comment")));
  EXPECT_THAT(messages("backends/opencl/ops/add/add.cl", "int a;\n"), ElementsAre(HasSubstr("open with a comment")));
  std::string text = "// Job.\n";
  for (std::size_t i = 1; i < max_file_lines; ++i) text += "\n";
  EXPECT_THAT(messages("core/a.cpp", text), IsEmpty());
  EXPECT_THAT(messages("core/a.cpp", text + "\n"), ElementsAre(HasSubstr("501 lines, at most 500")));
}

TEST(Files, NamesSayWhatIsInside) {
  EXPECT_THAT(messages("core/RmsNorm.cpp", "// Job.\n"), ElementsAre(HasSubstr("lower case")));
  EXPECT_THAT(messages("core/gemv_v2.cpp", "// Job.\n"), ElementsAre(HasSubstr("_v2")));
  EXPECT_THAT(messages("core/gemv_new.cpp", "// Job.\n"), ElementsAre(HasSubstr("_new.")));
  EXPECT_THAT(messages("core/quant_q4_0.cpp", "// Job.\n"), IsEmpty());
}

/// "NAME FIRST-LAST" of each function.
std::vector<std::string> spans(std::string_view text) {
  std::vector<std::string> result;
  for (const FunctionSpan& f : functions_of(code_only(text))) {
    result.push_back(fmt::format("{} {}-{}", f.name, f.first_line, f.last_line));
  }
  return result;
}

TEST(Functions, AreFoundInNamespacesAndClasses) {
  EXPECT_THAT(spans("namespace a {\nint f(int x) {\n  if (x) {\n  }\n  return 1;\n}\n}\n"), ElementsAre("f 2-6"));
  EXPECT_THAT(spans("struct S {\n  int g() const { return 1; }\n  int data[2] = {1, 2};\n};\n"), ElementsAre("g 2-2"));
  EXPECT_THAT(spans("#include <a>\n\nvoid\nC::h(\n  int a)\n{\n}\n"), ElementsAre("C::h 3-7"));
  EXPECT_THAT(spans("TEST(A, B) {\n}\n"), ElementsAre("TEST 1-2"));
}

TEST(Functions, BracesOfTheHeadAreNotTheBody) {
  EXPECT_THAT(spans("C::C(int x)\n    : a_{x},\n      b_{x} {\n  go();\n}\n"), ElementsAre("C::C 1-5"));
  EXPECT_THAT(spans("int f(S s = {}) {\n\n}\n"), ElementsAre("f 1-3"));
  EXPECT_THAT(spans("const std::array table = {1, 2};\nenum E { a, b };\n"), IsEmpty());
}

TEST(Functions, BracesInCommentsAndLiteralsDoNotCount) {
  EXPECT_THAT(
      spans("int f() {  // {\n  auto s = \"{\\\"{\";\n  char c = '{';\n  auto r = R\"x({)\"{)x\"; /* { */\n}\n"),
      ElementsAre("f 1-5"));
  EXPECT_THAT(spans("int f() { return 1'000; }\nint g() { return 'a'; }\n"), ElementsAre("f 1-1", "g 2-2"));
}

TEST(Functions, LongOnesAreReported) {
  std::string text = "// Job.\nint f() {\n";
  for (std::size_t i = 2; i < max_function_lines; ++i) text += "  go();\n";
  EXPECT_THAT(messages("core/a.cpp", text + "}\n"), IsEmpty());
  EXPECT_THAT(messages("core/a.cpp", text + "  go();\n}\n"), ElementsAre(HasSubstr("f has 101 lines, at most 100")));
}

std::string read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Files that this project wrote: all but the data of tests (goldens hold arbitrary text) and the licence texts of
/// others.
bool is_checked(const std::filesystem::path& relative) {
  const std::string name = relative.generic_string();
  const std::string kind = relative.extension().string();
  if (name.starts_with("tests/") && (kind == ".json" || kind == ".txt") && relative.filename() != "CMakeLists.txt") {
    return false;
  }
  static constexpr std::array<std::string_view, 10> kinds{".cpp", ".hpp", ".cl", ".h",    ".py",
                                                          ".md",  ".txt", "",    ".json", ".cmake"};
  return name != "LICENSE" && std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<std::filesystem::path> tree_files(const std::filesystem::path& root) {
  static constexpr std::array<std::string_view, 11> folders{
      "core", "graph", "models", "backends", "cli", "bench", "tests", "third_party", "docs", "scripts", ".ci"};
  std::vector<std::filesystem::path> files;
  const auto add = [&](const std::filesystem::directory_entry& entry) {
    if (!entry.is_regular_file()) return;
    const auto relative = entry.path().lexically_relative(root);
    if (is_checked(relative)) files.push_back(relative);
  };
  for (const auto& entry : std::filesystem::directory_iterator(root)) add(entry);
  for (const std::string_view folder : folders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) add(entry);
  }
  return files;
}

TEST(Tree, KeepsTheArchitecture) {
  const std::filesystem::path root = WEFT_SOURCE_DIR;
  const auto files = tree_files(root);
  EXPECT_THAT(files, testing::Contains(std::filesystem::path("core/result.hpp"))) << "the walk found no sources";
  for (const auto& file : files) {
    for (const Violation& v : check_file(file.generic_string(), read(root / file))) {
      ADD_FAILURE() << v.file << ":" << v.line << ": " << v.message;
    }
  }
}

}  // namespace
}  // namespace weft::architecture
