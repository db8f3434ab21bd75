// Who runs what: the user's order, rules, refusals, layers left to the processor, and caches in one memory.
#include "graph/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/fuse.hpp"
#include "graph/rewrites.hpp"
#include "graph/testing/fake_backend.hpp"
#include "graph/testing/run_graph.hpp"
#include "graph/testing/tiny_model.hpp"

namespace weft::graph {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Backends = std::vector<std::shared_ptr<Backend>>;

std::shared_ptr<Backend> named(std::string name, std::vector<std::string> refused = {}, std::string domain = "host") {
  testing::FakeOptions options;
  options.name = std::move(name);
  options.domain = std::move(domain);
  options.refuse = testing::refusing(std::move(refused));
  return testing::fake(std::move(options));
}

PlanReport report_of(const Backends& backends, PlanOptions options, int layers = 2) {
  const auto model = testing::TinyModel::build(layers);
  EXPECT_TRUE(model) << model.error().message;
  options.limits = testing::options_for({}).limits;
  const auto plan = Plan::compile(*model, options, backends);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? (*plan)->report() : PlanReport{};
}

const NodeReport& node(const PlanReport& report, std::string_view name) {
  const auto at = std::ranges::find(report.nodes, name, &NodeReport::node);
  EXPECT_NE(at, report.nodes.end()) << name;
  return *at;
}

PlanOptions unfused() {
  PlanOptions options;
  options.fuse = false;
  return options;
}

TEST(Placement, FirstOfTheUsersOrderRunsAll) {
  const PlanReport report = report_of({named("cpu"), named("reference")}, unfused());
  for (const NodeReport& n : report.nodes) {
    EXPECT_EQ(n.backend, "cpu");
    EXPECT_THAT(n.refusals, IsEmpty());
  }
  EXPECT_EQ(report.segments.size(), 1U);
  EXPECT_THAT(report.nodes[0].placement_rule, AllOf(HasSubstr("placement.rules.json#3"), HasSubstr("user's order")));
  EXPECT_EQ(report.nodes[0].selection.kernel, "cpu/rms_norm/reference");
}

TEST(Placement, RefusedNodesGoToTheNextAndSayWhy) {
  const PlanReport report = report_of({named("cpu", {"glu"}), named("reference")}, unfused());
  EXPECT_EQ(node(report, "blk.0.ffn_glu").backend, "reference");
  EXPECT_THAT(node(report, "blk.0.ffn_glu").refusals, ElementsAre("cpu: no kernel for glu"));
  EXPECT_EQ(node(report, "blk.0.ffn_down").backend, "cpu");
  // One segment ends before each glu and one begins after it.
  EXPECT_EQ(report.segments.size(), 5U);
  EXPECT_EQ(report.copies, 0U);
}

TEST(Placement, NobodyLeftNamesTheNodeAndEachReason) {
  const auto model = testing::TinyModel::build(1);
  ASSERT_TRUE(model);
  const Backends backends{named("cpu", {"glu"}), named("reference", {"glu"})};
  const auto plan = Plan::compile(*model, unfused(), backends);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::unsupported);
  EXPECT_THAT(plan.error().message, AllOf(HasSubstr("blk.0.ffn_glu"), HasSubstr("cpu: no kernel for glu"),
                                          HasSubstr("reference: no kernel for glu")));
}

TEST(Placement, NodesOfOneCacheLieInOneMemory) {
  const Backends backends{named("opencl", {"attention"}, "gpu"), named("cpu", {"kv_append"}), named("reference")};
  const PlanReport report = report_of(backends, unfused());
  EXPECT_EQ(node(report, "blk.0.attention").backend, "cpu");
  EXPECT_EQ(node(report, "blk.0.kv_append").backend, "reference");
  EXPECT_EQ(node(report, "blk.0.attn_q_rope").backend, "opencl");
  EXPECT_THAT(node(report, "blk.0.kv_append").refusals,
              ElementsAre("opencl: node blk.0.attention of the same KV cache can't run in gpu memory",
                          "cpu: no kernel for kv_append"));
  EXPECT_GT(report.copies, 0U);
}

TEST(Placement, StateBackendIsWhereItsNodesRun) {
  const auto model = testing::TinyModel::build(1);
  ASSERT_TRUE(model);
  const Backends backends{named("opencl", {"attention", "qk_norm_rope_append"}, "gpu"), named("cpu")};
  const auto plan = Plan::compile(*model, testing::options_for({}), backends);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ((*plan)->state_backend(0).name(), "cpu");
}

TEST(Placement, GpuLayersCountFromTheLast) {
  PlanOptions options = unfused();
  options.gpu_layers = 1;
  const PlanReport report = report_of({named("opencl", {}, "gpu"), named("cpu"), named("reference")}, options, 3);
  EXPECT_EQ(node(report, "blk.0.attention").backend, "cpu");
  EXPECT_EQ(node(report, "blk.1.ffn_down").backend, "cpu");
  EXPECT_EQ(node(report, "blk.2.ffn_down").backend, "opencl");
  EXPECT_EQ(node(report, "output").backend, "opencl");
  EXPECT_THAT(node(report, "blk.1.ffn_down").placement_rule, HasSubstr("#1"));
}

TEST(Placement, NoGpuLayersLeavesNothingToTheDevice) {
  PlanOptions options = unfused();
  options.gpu_layers = 0;
  for (const NodeReport& n : report_of({named("opencl", {}, "gpu"), named("reference")}, options).nodes) {
    EXPECT_EQ(n.backend, "reference");
  }
}

RuleOverride table(std::string rules) {
  return {"mine.json", R"({"schema": 1, "op": "placement", "rules": [)" + std::move(rules) + "]}"};
}

TEST(Placement, UsersRulesReplaceTheTable) {
  PlanOptions options = unfused();
  options.placement_rules = {table(R"({"when": {"op": "attention"}, "use": "reference", "why": "look closely"},
                                      {"when": {}, "use": "first", "why": "the rest"})")};
  const PlanReport report = report_of({named("cpu"), named("reference")}, options);
  EXPECT_EQ(node(report, "blk.0.attention").backend, "reference");
  EXPECT_EQ(node(report, "blk.0.attention").placement_rule, "mine.json#1: look closely");
  EXPECT_EQ(node(report, "blk.0.ffn_glu").backend, "cpu");
}

TEST(Placement, ABackendThatIsNotInUseIsPassedOverVisibly) {
  PlanOptions options = unfused();
  options.placement_rules = {table(R"({"when": {}, "use": "opencl", "why": "device"})")};
  const PlanReport report = report_of({named("cpu")}, options);
  EXPECT_EQ(report.nodes[0].backend, "cpu");
  EXPECT_THAT(report.nodes[0].refusals, ElementsAre(HasSubstr("opencl: named by the rule")));
}

struct BadTable {
  std::string rules;
  std::string message;
};

TEST(Placement, BrokenRulesAreRejectedWithFileRuleAndReason) {
  const std::vector<BadTable> bad{
      {R"({"when": {"colour": "red"}, "use": "first", "why": "w"}, {"when": {}, "use": "first", "why": "w"})",
       "colour"},
      {R"({"when": {}, "use": "abacus", "why": "w"})", "abacus"},
      {R"({"when": {}, "use": "first"})", "why"},
      {R"({"when": {"op": "add"}, "use": "first", "why": "w"})", "floor"}};
  for (const BadTable& b : bad) {
    const auto rules = load_placement_rules(std::vector{table(b.rules)}, {});
    ASSERT_FALSE(rules) << b.rules;
    EXPECT_THAT(rules.error().message, AllOf(HasSubstr("mine.json"), HasSubstr(b.message)));
  }
}

TEST(Placement, ATableForSomethingElseOrTwoTablesAreRejected) {
  const RuleOverride floor = table(R"({"when": {}, "use": "first", "why": "w"})");
  const auto two = load_placement_rules(std::vector{floor, floor}, {});
  ASSERT_FALSE(two);
  EXPECT_THAT(two.error().message, HasSubstr("give one"));
  const RuleOverride other{"o.json",
                           R"({"schema": 1, "op": "add", "rules": [{"when": {}, "use": "first", "why": "w"}]})"};
  const auto wrong = load_placement_rules(std::vector{other}, {});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("o.json"), HasSubstr("add")));
}

TEST(Placement, EmbeddedTableLoads) {
  const auto rules = load_placement_rules({}, {});
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_EQ(rules->rules().size(), 3U);
}

TEST(Fusion, NeverMovesWorkToALaterBackend) {
  const Backends backends{named("cpu", {"norm_matmul", "matmul_add"}), named("reference")};
  const PlanReport report = report_of(backends, {});
  EXPECT_FALSE(testing::has_op(report, "norm_matmul"));
  EXPECT_FALSE(testing::has_op(report, "matmul_add"));
  EXPECT_TRUE(testing::has_op(report, "norm_matmul_glu"));
  EXPECT_TRUE(testing::has_op(report, "logits"));
  for (const NodeReport& n : report.nodes) EXPECT_EQ(n.backend, "cpu") << n.node;
}

TEST(Fusion, PartsOnDifferentBackendsStayApart) {
  const Backends backends{named("cpu", {"rms_norm"}), named("reference")};
  const PlanReport report = report_of(backends, {});
  EXPECT_FALSE(testing::has_op(report, "norm_matmul"));
  EXPECT_TRUE(testing::has_op(report, "matmul_add"));
}

}  // namespace
}  // namespace weft::graph
