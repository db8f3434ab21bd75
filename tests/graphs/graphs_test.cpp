// Random graphs on each backend, fused, unfused and split with the reference, against the unfused reference.
#include <gtest/gtest.h>

#include "backends/all.hpp"
#include "graph/dump.hpp"
#include "graph/fuzz/check.hpp"

namespace weft::graph::fuzz {
namespace {

class RandomGraphs : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RandomGraphs, AgreeWithTheUnfusedReference) {
  std::vector<std::shared_ptr<Backend>> backends;
  for (const std::string_view name : {GetParam(), std::string_view("reference")}) {
    if (!backends.empty() && name == GetParam()) continue;
    auto backend = make_backend(std::string(name), {});
    if (!backend) GTEST_SKIP() << backend.error().message;
    backends.push_back(std::move(*backend));
  }
  // Device programs take long to compile, so a device gets a share of the graphs.
  const std::uint64_t graphs = GetParam() == "opencl" ? 20 : 300;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const auto fault = check_random_graph(seed, backends);
    ASSERT_TRUE(fault) << "seed " << seed << ": " << fault.error().message;
    if (*fault)
      FAIL() << "seed " << seed << ", " << (*fault)->way << ": " << (*fault)->message << "\nshrunk to:\n"
             << dump_text((*fault)->shrunk);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomGraphs, ::testing::ValuesIn(backend_names()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace weft::graph::fuzz
