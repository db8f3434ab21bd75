// Detection against what Linux reports, and the cuts that `isa` makes.
#include "backends/cpu/cpu_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace weft::cpu {
namespace {

std::vector<std::string> linux_flags() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::vector<std::string> flags;
    for (std::string word; words >> word;) flags.push_back(word);
    return flags;
  }
  return {};
}

TEST(CpuFeatures, AgreeWithTheKernel) {
  const std::vector<std::string> flags = linux_flags();
  if (flags.empty()) GTEST_SKIP() << "no /proc/cpuinfo";
  const std::vector<std::string> found = detect_features();
  for (const std::string name : {"avx2", "fma", "f16c", "avx_vnni", "avx512_vnni", "avx512_bf16", "amx_int8"}) {
    EXPECT_EQ(has_feature(found, name), has_feature(flags, name)) << name;
  }
  const bool avx512 = has_feature(flags, "avx512f") && has_feature(flags, "avx512bw") &&
                      has_feature(flags, "avx512vl") && has_feature(flags, "avx512dq");
  EXPECT_EQ(has_feature(found, "avx512"), avx512);
}

TEST(CpuFeatures, IsaCutsThemDown) {
  const std::vector<std::string> all{"avx2", "fma", "f16c", "avx_vnni", "avx512", "avx512_vnni", "amx_int8"};
  EXPECT_EQ(features_for("", all).value(), all);
  EXPECT_TRUE(features_for("portable", all).value().empty());
  EXPECT_EQ(features_for("avx2", all).value(), (std::vector<std::string>{"avx2", "fma", "f16c"}));
  const auto avx512 = features_for("avx512", all).value();
  EXPECT_TRUE(has_feature(avx512, "avx512_vnni"));
  EXPECT_FALSE(has_feature(avx512, "amx_int8"));
}

TEST(CpuFeatures, WhatIsMissingIsAnError) {
  const auto avx512 = features_for("avx512", {"avx2", "fma", "f16c"});
  ASSERT_FALSE(avx512);
  EXPECT_EQ(avx512.error().code, ErrorCode::unsupported);
  const auto avx2 = features_for("avx2", {"avx2"});
  ASSERT_FALSE(avx2);
  EXPECT_EQ(avx2.error().code, ErrorCode::unsupported);
  const auto unknown = features_for("sse9", {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(unknown.error().message.find("sse9"), std::string::npos);
}

}  // namespace
}  // namespace weft::cpu
