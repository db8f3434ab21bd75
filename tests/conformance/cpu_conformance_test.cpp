// Every kernel of the cpu backend, at every instruction set that it is built for.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "backends/all.hpp"
#include "core/conformance/conformance.hpp"
#include "tests/conformance/op_conformance.hpp"

namespace weft::conformance {
namespace {

using IsaAndOp = std::tuple<std::string_view, std::string_view>;

class CpuConformance : public testing::TestWithParam<IsaAndOp> {};

TEST_P(CpuConformance, EveryKernelIsRight) {
  const auto& [isa, op] = GetParam();
  BackendOptions options;
  options.isa = isa;
  const auto backend = make_backend("cpu", options);
  if (!backend && backend.error().code == ErrorCode::unsupported) {
    GTEST_SKIP() << "this machine lacks the instruction set: " << backend.error().message;
  }
  ASSERT_TRUE(backend) << backend.error().message;
  expect_conformance(**backend, op);
}

/// A build without the cpu backend has no cases.
std::vector<std::string_view> ops() {
  const auto backends = backend_names();
  const bool built = std::ranges::find(backends, "cpu") != backends.end();
  return built ? runnable_ops() : std::vector<std::string_view>();
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CpuConformance);
INSTANTIATE_TEST_SUITE_P(Ops, CpuConformance,
                         testing::Combine(testing::Values("avx512", "avx2", "portable"), testing::ValuesIn(ops())),
                         [](const auto& instance) {
                           return fmt::format("{}_{}", std::get<0>(instance.param), std::get<1>(instance.param));
                         });

}  // namespace
}  // namespace weft::conformance
