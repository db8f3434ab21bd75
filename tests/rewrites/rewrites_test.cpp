// Every rewrite on every real backend that takes its fused op: the example fused there gives what the reference backend
// gives for the unfused one.
#include "graph/rewrites.hpp"

#include <gtest/gtest.h>

#include "backends/all.hpp"
#include "graph/testing/run_graph.hpp"

namespace weft::graph {
namespace {

struct Case {
  std::string backend;
  Rewrite rewrite;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.backend << ", " << c.rewrite.name; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string_view backend : backend_names()) {
    for (const Rewrite& rewrite : all_rewrites()) cases.push_back({std::string(backend), rewrite});
  }
  return cases;
}

/// The named backend and, for what it refuses, the reference.
Result<std::vector<std::shared_ptr<Backend>>> open(const std::string& name) {
  std::vector<std::string> names{name};
  if (name != "reference") names.emplace_back("reference");
  std::vector<std::shared_ptr<Backend>> backends;
  for (const std::string& wanted : names) {
    auto backend = make_backend(wanted, {});
    if (!backend) return error_of(backend);
    backends.push_back(std::move(*backend));
  }
  return backends;
}

class RewriteOnBackend : public ::testing::TestWithParam<Case> {};

TEST_P(RewriteOnBackend, AgreesWithTheUnfusedReference) {
  const Case& c = GetParam();
  const auto backends = open(c.backend);
  if (!backends) GTEST_SKIP() << backends.error().message;
  const auto reference = open("reference");
  ASSERT_TRUE(reference) << reference.error().message;
  const auto example = c.rewrite.example();
  ASSERT_TRUE(example) << example.error().message;
  PlanOptions options = testing::options_for({});
  options.precision = Precision::exact;
  const auto fused = testing::run_graph(*example, options, *backends);
  ASSERT_TRUE(fused) << fused.error().message;
  options.fuse = false;
  const auto unfused = testing::run_graph(*example, options, *reference);
  ASSERT_TRUE(unfused) << unfused.error().message;
  EXPECT_LT(testing::relative_error(fused->values, unfused->values), 1e-4);
  // The reference takes every fused op, so there the rewrite itself must have been seen.
  if (c.backend == "reference") {
    EXPECT_TRUE(testing::has_op(fused->report, c.rewrite.name));
  }
}

INSTANTIATE_TEST_SUITE_P(All, RewriteOnBackend, ::testing::ValuesIn(all_cases()), [](const auto& test) {
  return test.param.backend + "_" + std::string(test.param.rewrite.name);
});

}  // namespace
}  // namespace weft::graph
