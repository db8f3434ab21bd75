// Running the engine inside a test.
#include "tests/conformance/op_conformance.hpp"

#include <gtest/gtest.h>

#include "core/conformance/conformance.hpp"

namespace weft::conformance {

void expect_conformance(Backend& backend, std::string_view op) {
  Options options;
  options.op = op;
  const auto report = run(backend, options);
  ASSERT_TRUE(report) << report.error().message;
  if (report->cases() == 0 && report->problems.empty() && report->unsupported_of(op) > 0) {
    for (const Unsupported& u : report->unsupported) ASSERT_GT(u.limit, 0U) << to_text(*report);
    GTEST_SKIP() << "limits.json leaves the op out: " << report->unsupported.front().reason;
  }
  EXPECT_TRUE(report->passed()) << to_text(*report);
  for (const KernelReport& kernel : report->kernels) {
    ::testing::Test::RecordProperty(kernel.kernel, fmt::format("{} cases, {:.3g}", kernel.cases, kernel.worst));
  }
}

}  // namespace weft::conformance
