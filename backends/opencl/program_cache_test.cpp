// The program cache against damage, strangers and folders that can't be written; then with a real device.
#include "backends/opencl/program_cache.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "backends/opencl/program_store.hpp"
#include "backends/opencl/source_assembly.hpp"

namespace weft::opencl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Binary = std::vector<unsigned char>;

BuildIdentity identity() { return {"platform", "3.0", "device", "1.2", "driver 1"}; }

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class ProgramCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              fmt::format("weft_cache_{}_{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  ProgramCache cache(const BuildIdentity& built_for = identity()) {
    return {folder_, built_for, [this](std::string_view line) { warnings_.emplace_back(line); }};
  }
  fs::path folder_;
  std::vector<std::string> warnings_;
  Binary binary_{1, 2, 3, 0, 255, 7, 9, 11, 13, 17};
};

TEST_F(ProgramCacheTest, GivesBackWhatWasStored) {
  const ProgramCache c = cache();
  EXPECT_FALSE(c.load("source", "-DA=1"));
  c.store("source", "-DA=1", binary_);
  EXPECT_EQ(c.load("source", "-DA=1"), binary_);
  EXPECT_EQ(cache().load("source", "-DA=1"), binary_) << "from a later run";
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ProgramCacheTest, EverythingThatABinaryDependsOnIsPartOfTheKey) {
  cache().store("source", "-DA=1", binary_);
  EXPECT_FALSE(cache().load("source", "-DA=2"));
  EXPECT_FALSE(cache().load("source ", "-DA=1"));
  for (std::string BuildIdentity::*field :
       {&BuildIdentity::platform, &BuildIdentity::platform_version, &BuildIdentity::device,
        &BuildIdentity::device_version, &BuildIdentity::driver}) {
    BuildIdentity other = identity();
    other.*field += " updated";
    EXPECT_FALSE(cache(other).load("source", "-DA=1"));
  }
  EXPECT_TRUE(warnings_.empty()) << "a miss is no trouble";
}

TEST_F(ProgramCacheTest, ACutEntryIsAMissAndReplaced) {
  const ProgramCache first = cache();
  first.store("source", "", binary_);
  const fs::path path = first.entry_path("source", "");
  const std::string whole = read(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    warnings_.clear();
    const ProgramCache c = cache();
    write(path, whole.substr(0, size));
    EXPECT_FALSE(c.load("source", ""));
    EXPECT_FALSE(c.load("source", ""));
    EXPECT_EQ(warnings_.size(), 1U) << "at most one line";
    c.store("source", "", binary_);
    EXPECT_EQ(c.load("source", ""), binary_);
  }
  write(path, whole + "x");
  EXPECT_FALSE(cache().load("source", ""));
}

TEST_F(ProgramCacheTest, AFlippedByteAnywhereIsAMiss) {
  cache().store("source", "", binary_);
  const fs::path path = cache().entry_path("source", "");
  const std::string whole = read(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    write(path, damaged);
    EXPECT_FALSE(cache().load("source", "")) << "byte " << i;
  }
}

TEST_F(ProgramCacheTest, SwappedEntriesAreForeignToEachOther) {
  cache().store("one", "", binary_);
  cache().store("two", "", Binary{4, 5, 6});
  const fs::path one = cache().entry_path("one", "");
  const fs::path two = cache().entry_path("two", "");
  const std::string kept = read(one);
  write(one, read(two));
  write(two, kept);
  const ProgramCache c = cache();
  warnings_.clear();
  EXPECT_FALSE(c.load("one", ""));
  EXPECT_FALSE(c.load("two", ""));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("another program, device or driver"));
}

TEST_F(ProgramCacheTest, AnEntryOfAnOlderDriverUnderThisNameIsForeign) {
  BuildIdentity old = identity();
  old.driver = "driver 0";
  cache(old).store("source", "", binary_);
  fs::rename(cache(old).entry_path("source", ""), cache().entry_path("source", ""));
  EXPECT_FALSE(cache().load("source", ""));
}

TEST_F(ProgramCacheTest, AFolderThatIsAFileMeansNoCacheAndOneLine) {
  write(folder_, "a file");
  const ProgramCache c = cache();
  EXPECT_FALSE(c.load("source", ""));
  c.store("source", "", binary_);
  c.store("other", "", binary_);
  EXPECT_FALSE(c.load("source", ""));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("can't be written"));
}

TEST_F(ProgramCacheTest, AFolderThatCannotBeMadeMeansNoCacheAndOneLine) {
  folder_ = "/proc/weft/none";
  const ProgramCache c = cache();
  c.store("source", "", binary_);
  EXPECT_FALSE(c.load("source", ""));
  EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(ProgramCacheTest, NoFolderMeansNoCacheWithoutAWord) {
  const fs::path kept = folder_;
  folder_.clear();
  const ProgramCache c = cache();
  c.store("source", "", binary_);
  EXPECT_FALSE(c.load("source", ""));
  EXPECT_TRUE(warnings_.empty());
  folder_ = kept;
}

TEST_F(ProgramCacheTest, WhatAKilledRunLeftBehindIsNeverRead) {
  const ProgramCache c = cache();
  c.store("source", "", binary_);
  const fs::path path = c.entry_path("source", "");
  fs::path temporary = path;
  temporary += ".1.0.tmp";
  write(temporary, read(path).substr(0, 20));
  fs::remove(path);
  EXPECT_FALSE(c.load("source", ""));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(ProgramCacheTest, WritersAtOnceLeaveAWholeEntry) {
  const Binary large(100000, 42);
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      const ProgramCache c(folder_, identity(), nullptr);
      for (int n = 0; n < 20; ++n) {
        c.store("source", "", large);
        const auto loaded = c.load("source", "");
        EXPECT_TRUE(loaded && *loaded == large);
      }
    });
  }
  writers.clear();
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1U) << "no temporary is left";
}

/// A kernel built through the store, run on the device.
class ProgramStoreTest : public ProgramCacheTest {
 protected:
  void SetUp() override {
    ProgramCacheTest::SetUp();
    const auto devices = find_devices();
    ASSERT_TRUE(devices) << devices.error().message;
    const auto index = pick_device(*devices, "");
    ASSERT_TRUE(index) << index.error().message;
    auto context = DeviceContext::open((*devices)[*index]);
    ASSERT_TRUE(context) << context.error().message;
    context_ = *context;
  }
  std::vector<std::string> defines() const {
    return {"FACTOR=2.0f", "A_TYPE=f32", "B_TYPE=f32", "Y_TYPE=f32", "LANES=1", "NEIGHBOURS=16"};
  }
  void expect_kernel() {
    ProgramStore store(context_, cache());
    const auto kernel = store.kernel("backends/opencl/ops/scale/scale.cl", defines(), "elementwise");
    EXPECT_TRUE(kernel) << kernel.error().message;
  }
  fs::path only_entry() const {
    for (const auto& entry : fs::directory_iterator(folder_)) return entry.path();
    return {};
  }
  std::shared_ptr<const DeviceContext> context_;
};

TEST_F(ProgramStoreTest, DamagedEntriesAreBuiltAgainAndReplaced) {
  expect_kernel();
  const fs::path path = only_entry();
  ASSERT_FALSE(path.empty());
  const std::string whole = read(path);
  warnings_.clear();
  expect_kernel();
  EXPECT_TRUE(warnings_.empty()) << "the entry is used";
  for (const std::string& damaged :
       {std::string(), whole.substr(0, whole.size() / 2), std::string(whole.size(), 'x')}) {
    warnings_.clear();
    write(path, damaged);
    expect_kernel();
    EXPECT_EQ(warnings_.size(), 1U);
    warnings_.clear();
    expect_kernel();
    EXPECT_TRUE(warnings_.empty()) << "it was replaced";
  }
}

TEST_F(ProgramStoreTest, ABinaryThatTheDriverRefusesFallsBackToSource) {
  std::string options = "-cl-std=CL1.2 -cl-mad-enable";
  for (const std::string& define : defines()) options += " -D" + define;
  const auto source = assemble_source(embedded_sources(), "backends/opencl/ops/scale/scale.cl");
  ASSERT_TRUE(source);
  cache().store(*source, options, Binary(64, 7));  // whole by its own account
  expect_kernel();
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("refused by the driver"));
  warnings_.clear();
  expect_kernel();
  EXPECT_TRUE(warnings_.empty()) << "it was replaced";
}

TEST_F(ProgramStoreTest, AnUnwritableFolderStillBuilds) {
  write(folder_, "a file");
  expect_kernel();
  EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(ProgramStoreTest, ABrokenProgramNamesItselfAndTheComplaint) {
  ProgramStore store(context_, cache());
  const auto broken = store.kernel("backends/opencl/ops/scale/scale.cl", {"A_TYPE=nonsense"}, "elementwise");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("scale.cl"));
  EXPECT_EQ(broken.error().message.find('\n'), std::string::npos);
  EXPECT_FALSE(store.kernel("backends/opencl/ops/none.cl", {}, "none"));
}

}  // namespace
}  // namespace weft::opencl
