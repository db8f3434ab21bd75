// The suite can fail: each kernel that is wrong in one way is caught, by the case that is there for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/conformance/conformance.hpp"
#include "tests/conformance/broken_kernels.hpp"

namespace weft::conformance {
namespace {

Report report_on(const Mutant& mutant, const std::string& sample) {
  MutantBackend backend(mutant);
  Options options;
  options.op = mutant.op;
  options.sample = sample;
  auto report = run(backend, options);
  EXPECT_TRUE(report) << report.error().message;
  return report ? std::move(*report) : Report();
}

std::vector<BrokenKernel> all_broken_kernels() {
  std::vector<BrokenKernel> all = broken_matmuls();
  std::ranges::move(kernels_that_forget(), std::back_inserter(all));
  std::ranges::move(kernels_that_misuse_memory(), std::back_inserter(all));
  return all;
}

class Mutation : public testing::TestWithParam<BrokenKernel> {};

TEST_P(Mutation, IsCaught) {
  const BrokenKernel& broken = GetParam();
  const Report report = report_on(broken.mutant, broken.sample);
  ASSERT_EQ(report.kernels.size(), 1U) << "no sample is named so: " << broken.sample;
  EXPECT_FALSE(report.passed());
  std::vector<std::string> messages;
  for (const Failure& failure : report.kernels[0].failures) messages.push_back(failure.message);
  EXPECT_THAT(messages, testing::Contains(testing::HasSubstr(broken.fault)));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Mutation, testing::ValuesIn(all_broken_kernels()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Mutants, AreOfManyKinds) { EXPECT_GE(all_broken_kernels().size(), 40U); }

class RightKernel : public testing::TestWithParam<Mutant> {};

/// Nothing but the mutation is caught.
TEST_P(RightKernel, Passes) {
  const Report report = report_on(GetParam(), "");
  EXPECT_TRUE(report.passed()) << to_text(report);
}

INSTANTIATE_TEST_SUITE_P(Kernels, RightKernel, testing::ValuesIn(right_kernels()),
                         [](const auto& instance) { return fmt::format("{}_{}", instance.param.op, instance.index); });

}  // namespace
}  // namespace weft::conformance
