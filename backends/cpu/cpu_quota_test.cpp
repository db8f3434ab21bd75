// Quotas of fake control groups.
#include "backends/cpu/cpu_quota.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace weft::cpu {
namespace {

namespace fs = std::filesystem;

class Quota : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            (std::string("weft_quota_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  /// The quota of a version 2 group at the top whose cpu.max is `text`.
  CpuQuota v2(const std::string& text) {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/cpu.max", text);
    return read_cpu_quota(root_);
  }
  CpuQuota v1(const std::string& quota, const std::string& period) {
    write("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/\n");
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", quota);
    write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", period);
    return read_cpu_quota(root_);
  }
  static std::int64_t threads(const CpuQuota& quota) { return choose_threads(0, 16, quota).threads; }

  fs::path root_;
};

TEST_F(Quota, WholeCores) {
  const CpuQuota quota = v2("200000 100000\n");
  EXPECT_EQ(threads(quota), 2);
  EXPECT_EQ(choose_threads(0, 8, quota).reason, "cgroup quota 2.0 of 8 cores");
}
TEST_F(Quota, FractionsAreRoundedDown) { EXPECT_EQ(threads(v2("765000 100000\n")), 7); }
TEST_F(Quota, LessThanACoreIsOne) { EXPECT_EQ(threads(v2("50000 100000\n")), 1); }
TEST_F(Quota, MaxIsNoLimit) { EXPECT_EQ(threads(v2("max 100000\n")), 16); }
TEST_F(Quota, MoreThanTheCoresIsNoLimit) { EXPECT_EQ(choose_threads(0, 2, v2("800000 100000\n")).reason, "2 cores"); }
TEST_F(Quota, VersionOneWithoutLimit) { EXPECT_EQ(threads(v1("-1\n", "100000\n")), 16); }
TEST_F(Quota, VersionOne) { EXPECT_EQ(threads(v1("150000\n", "100000\n")), 1); }

TEST_F(Quota, AStricterParentWins) {
  write("proc/self/cgroup", "0::/user/session\n");
  write("sys/fs/cgroup/user/session/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/user/cpu.max", "300000 100000\n");
  EXPECT_EQ(threads(read_cpu_quota(root_)), 3);
}

TEST_F(Quota, NoFilesIsNoLimit) {
  const CpuQuota quota = read_cpu_quota(root_);
  EXPECT_FALSE(quota.cores);
  EXPECT_TRUE(quota.note.empty());
}

TEST_F(Quota, GarbageIsNoLimitAndANote) {
  for (const std::string text : {"lots 100000\n", "200000\n", "200000 0\n", "1 2 3\n", "nan 100000\n"}) {
    const CpuQuota quota = v2(text);
    EXPECT_FALSE(quota.cores) << text;
    EXPECT_NE(quota.note.find("cpu.max"), std::string::npos) << text;
  }
}

TEST_F(Quota, AGroupOutsideTheRootIsRead) {
  write("proc/self/cgroup", "0::/../other\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(threads(read_cpu_quota(root_)), 2);
}

TEST_F(Quota, WhatIsAskedForWins) {
  const ThreadChoice choice = choose_threads(5, 2, v2("100000 100000\n"));
  EXPECT_EQ(choice.threads, 5);
  EXPECT_EQ(choice.reason, "as asked for");
}

}  // namespace
}  // namespace weft::cpu
