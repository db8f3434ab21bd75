// The reference agrees with itself: what this shows is that the engine and the samples of every op are sound.
#include <gtest/gtest.h>

#include "backends/all.hpp"
#include "core/conformance/conformance.hpp"
#include "tests/conformance/op_conformance.hpp"

namespace weft::conformance {
namespace {

class ReferenceConformance : public testing::TestWithParam<std::string_view> {};

TEST_P(ReferenceConformance, EveryKernelIsRight) {
  const auto backend = make_backend("reference", {});
  ASSERT_TRUE(backend) << backend.error().message;
  expect_conformance(**backend, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ops, ReferenceConformance, testing::ValuesIn(runnable_ops()),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace weft::conformance
