// Every kernel of the opencl backend, on the first usable device.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "backends/all.hpp"
#include "core/conformance/conformance.hpp"
#include "tests/conformance/op_conformance.hpp"

namespace weft::conformance {
namespace {

class OpenclConformance : public testing::TestWithParam<std::string_view> {};

TEST_P(OpenclConformance, EveryKernelIsRight) {
  BackendOptions options;
  // Each case is a process of its own; programs that they share are built once.
  options.cache_dir = (std::filesystem::path(testing::TempDir()) / "weft_conformance_programs").string();
  const auto backend = make_backend("opencl", options);
  ASSERT_TRUE(backend) << backend.error().message;
  expect_conformance(**backend, GetParam());
}

/// A build without the opencl backend has no cases.
std::vector<std::string_view> ops() {
  const auto backends = backend_names();
  const bool built = std::ranges::find(backends, "opencl") != backends.end();
  return built ? runnable_ops() : std::vector<std::string_view>();
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpenclConformance);
INSTANTIATE_TEST_SUITE_P(Ops, OpenclConformance, testing::ValuesIn(ops()),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace weft::conformance
