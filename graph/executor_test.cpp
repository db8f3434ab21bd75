// A plan at work: several memories and queues give the result of one, nothing is allocated, errors leave order behind.
#include "graph/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/allocation_count.hpp"
#include "graph/testing/fake_backend.hpp"
#include "graph/testing/run_graph.hpp"
#include "graph/testing/tiny_model.hpp"

namespace weft::graph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Backends = std::vector<std::shared_ptr<Backend>>;

Graph model(int layers = 2) {
  auto graph = testing::TinyModel::build(layers);
  EXPECT_TRUE(graph) << graph.error().message;
  return std::move(*graph);
}

std::vector<float> run(const Backends& backends, PlanOptions options = testing::options_for({}),
                       PlanReport* report = nullptr) {
  const auto result = testing::run_graph(model(), options, backends);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  if (report != nullptr) *report = result->report;
  return result->values;
}

std::shared_ptr<Backend> lazy(std::string name, std::string domain, std::vector<std::string> refused) {
  testing::FakeOptions options;
  options.name = std::move(name);
  options.domain = std::move(domain);
  options.refuse = testing::refusing(std::move(refused));
  options.timing = testing::FakeTiming::when_waited_for;
  return testing::fake(std::move(options));
}

TEST(Executor, FusedAndUnfusedAgree) {
  PlanOptions unfused = testing::options_for({});
  unfused.fuse = false;
  EXPECT_LT(testing::relative_error(run({testing::fake()}), run({testing::fake()}, unfused)), 1e-5);
}

TEST(Executor, TwoMemoriesGiveTheResultOfOne) {
  PlanReport report;
  const Backends two{lazy("opencl", "gpu", {"norm_matmul_glu", "rms_norm"}), lazy("cpu", "host", {})};
  const std::vector<float> split = run(two, testing::options_for({}), &report);
  EXPECT_LT(testing::relative_error(split, run({testing::fake()})), 1e-5);
  EXPECT_GT(report.segments.size(), 3U);
  EXPECT_GT(report.copies, 2U);
}

TEST(Executor, TwoQueuesInOneMemoryKeepTheirOrder) {
  PlanReport report;
  PlanOptions options = testing::options_for({});
  options.fuse = false;
  const Backends two{lazy("cpu", "host", {"rms_norm", "glu", "rope", "attention"}), lazy("reference", "host", {})};
  const std::vector<float> split = run(two, options, &report);
  EXPECT_LT(testing::relative_error(split, run({testing::fake()})), 1e-5);
  EXPECT_GT(report.segments.size(), 8U);
  EXPECT_EQ(report.copies, 0U);
}

TEST(Executor, ThreeBackendsInTwoMemoriesAgree) {
  PlanOptions options = testing::options_for({});
  options.fuse = false;
  const Backends three{lazy("opencl", "gpu", {"rms_norm", "glu"}), lazy("cpu", "host", {"glu"}),
                       lazy("reference", "host", {})};
  EXPECT_LT(testing::relative_error(run(three, options), run({testing::fake()})), 1e-5);
}

TEST(Executor, ACopyIsMadeOnceForEachMemory) {
  ExampleGraph e;
  const ValueId x = e.b.scale("start", e.activations("x"), 2.0F);
  const ValueId a = e.b.softcap("a", x, 3.0F);
  const ValueId b = e.b.softcap("b", x, 4.0F);
  e.b.output(e.b.add("sum", a, b));
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph);
  const auto result = testing::run_graph(*graph, testing::options_for({}),
                                         {lazy("opencl", "gpu", {"softcap"}), lazy("cpu", "host", {})});
  ASSERT_TRUE(result) << result.error().message;
  // x to the host once; a and b back for the sum.
  EXPECT_EQ(result->report.copies, 3U);
  EXPECT_EQ(result->report.segments.size(), 3U);
}

TEST(Executor, ArenasReuseMemory) {
  PlanReport report;
  (void)run({testing::fake()}, testing::options_for({}), &report);
  EXPECT_LT(report.arena_bytes, report.unshared_arena_bytes / 2);
}

TEST(Executor, ViewsAreNeverCompiled) {
  const auto fake = testing::fake();
  PlanOptions options = testing::options_for({});
  options.fuse = false;
  ASSERT_TRUE(Plan::compile(model(), options, std::vector<std::shared_ptr<Backend>>{fake}));
  ASSERT_EQ(fake->compiled().size(), 1U);
  for (const SegmentStep& step : fake->compiled()[0].steps) EXPECT_FALSE(is_view(step.call.op)) << step.name;
}

TEST(Executor, ViewsOfActivationsAndConstantsKeepTheirOffset) {
  ExampleGraph e;
  const ValueId x = e.activations("x");
  const ValueId w = e.weight("w", {20, 64});
  const ValueId low = e.b.quant_matmul("low", e.b.scale("s", x, 1.5F), e.b.slice(w, 0, 0, 7));
  const ValueId both = e.b.quant_matmul("both", x, w);
  const ValueId part = e.b.scale("part", e.b.slice(both, 1, 0, 7), -1.5F);
  e.b.output(e.b.add("zero", low, part));
  e.b.output(both);
  const auto graph = e.b.finish();
  ASSERT_TRUE(graph) << graph.error().message;
  const auto result = testing::run_graph(*graph, testing::options_for({}), {testing::fake()});
  ASSERT_TRUE(result) << result.error().message;
  for (std::size_t i = 0; i < 5 * 7; ++i) EXPECT_NEAR(result->values[i], 0.0F, 1e-5F);
  EXPECT_GT(std::abs(result->values[5 * 7]), 1e-6F);
}

/// A plan with its data, to be run several times.
class Ready {
 public:
  Ready(std::int64_t tokens, Backends backends, PlanOptions options) : graph_(model()), backends_(std::move(backends)) {
    auto plan = Plan::compile(graph_, options, backends_);
    EXPECT_TRUE(plan) << plan.error().message;
    plan_ = std::move(*plan);
    symbols_ = testing::symbols_of({.tokens = tokens, .kv_rows = 5});
    std::mt19937 random(3);
    for (const ValueId id : graph_.inputs) inputs_.push_back(testing::input_data(graph_.value(id), symbols_, random));
    for (std::size_t s = 0; s < graph_.states.size(); ++s) {
      const std::size_t bytes = cache_planes(testing::cache_spec(graph_, s), 5).bytes;
      buffers_.push_back(*plan_->state_backend(s).allocate(bytes, MemoryKind::state));
      states_.push_back({buffers_.back().get(), 0, bytes});
    }
    output_.resize(graph_.value(graph_.outputs[0]).desc.at(symbols_).bytes());
    in_.assign(inputs_.begin(), inputs_.end());
    out_.assign(1, output_);
  }
  Status run() { return plan_->run({in_, states_, out_}, symbols_); }

  Graph graph_;
  Backends backends_;
  std::unique_ptr<Plan> plan_;
  SymbolValues symbols_;
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<BufferView> states_;
  std::vector<std::byte> output_;
  std::vector<std::span<const std::byte>> in_;
  std::vector<std::span<std::byte>> out_;
};

TEST(Executor, RunAllocatesNothing) {
  testing::FakeOptions device{.name = "opencl", .domain = "gpu"};
  device.refuse = testing::refusing({"norm_matmul_glu", "rms_norm"});
  device.computes = false;
  testing::FakeOptions host{.name = "cpu"};
  host.computes = false;
  const auto gpu = testing::fake(device);
  const auto cpu = testing::fake(host);
  gpu->log().writing = false;
  cpu->log().writing = false;
  Ready ready(5, {gpu, cpu}, testing::options_for({}));
  ASSERT_GT(ready.plan_->report().copies, 0U);
  const std::size_t before = weft::testing::allocation_count();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(ready.run());
  EXPECT_EQ(weft::testing::allocation_count() - before, 0U);
  EXPECT_EQ(gpu->log().enqueues + cpu->log().enqueues, 10U * ready.plan_->report().segments.size());
}

TEST(Executor, FewerTokensThanThePlansLimit) {
  Ready whole(5, {testing::fake()}, testing::options_for({}));
  Ready part(2, {testing::fake()}, testing::options_for({}));
  // The same first two tokens, in a plan made for five.
  std::memcpy(part.inputs_[4].data(), whole.inputs_[4].data(), part.inputs_[4].size());
  ASSERT_TRUE(whole.run());
  ASSERT_TRUE(part.run());
  const auto want = testing::as_numbers(DType::f32, std::span(whole.output_).first(part.output_.size()));
  EXPECT_LT(testing::relative_error(testing::as_numbers(DType::f32, part.output_), want), 1e-5);
}

TEST(Executor, BadStepsAreRefusedWithNames) {
  Ready ready(5, {testing::fake()}, testing::options_for({}));
  const auto message = [&] {
    const Status status = ready.run();
    return status ? std::string() : status.error().message;
  };
  ready.symbols_.set(Symbol::tokens, 6);
  EXPECT_THAT(message(), AllOf(HasSubstr("tokens is 6"), HasSubstr("1 to 5")));
  ready.symbols_.set(Symbol::tokens, 0);
  EXPECT_THAT(message(), HasSubstr("tokens is 0"));
  ready.symbols_.set(Symbol::tokens, 4);
  EXPECT_THAT(message(), AllOf(HasSubstr("input positions has 20 bytes"), HasSubstr("16")));
  ready.symbols_.set(Symbol::tokens, 5);
  ready.out_[0] = std::span(ready.output_).first(8);
  EXPECT_THAT(message(), HasSubstr("output output has room for 8 bytes"));
  ready.out_[0] = ready.output_;
  ready.states_[1].buffer = nullptr;
  EXPECT_THAT(message(), HasSubstr("state 1 has no buffer"));
  ready.states_.pop_back();
  EXPECT_THAT(message(), HasSubstr("found 5 inputs, 1 states"));
}

TEST(Executor, AFailureDrainsEveryQueueAndTheNextStepWorks) {
  testing::FakeOptions device{.name = "opencl", .domain = "gpu"};
  device.refuse = testing::refusing({"glu"});
  const auto gpu = testing::fake(device);
  testing::FakeOptions host{.name = "cpu"};
  host.failing_step = 2;
  const auto cpu = testing::fake(host);
  Ready ready(5, {gpu, cpu}, testing::options_for({}));
  const Status failed = ready.run();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::device_lost);
  EXPECT_EQ(gpu->log().events.back(), "opencl: finish");
  EXPECT_EQ(cpu->log().events.back(), "cpu: finish");
  ASSERT_TRUE(ready.run());
  const auto again = testing::as_numbers(DType::f32, ready.output_);
  Ready other(5, {testing::fake()}, testing::options_for({}));
  ASSERT_TRUE(other.run());
  EXPECT_LT(testing::relative_error(again, testing::as_numbers(DType::f32, other.output_)), 1e-5);
}

TEST(Executor, TimesBelongToNodes) {
  testing::FakeOptions device{.name = "opencl", .domain = "gpu"};
  device.refuse = testing::refusing({"glu"});
  Ready ready(5, {testing::fake(device), testing::fake({.name = "cpu"})}, testing::options_for({}));
  ASSERT_GT(ready.plan_->report().segments.size(), 2U);
  ASSERT_TRUE(ready.run());
  EXPECT_TRUE(ready.plan_->take_times().empty());
  ASSERT_TRUE(ready.plan_->record_times(true));
  ASSERT_TRUE(ready.run());
  std::vector<NodeTime> times = ready.plan_->take_times();
  std::ranges::sort(times, {}, &NodeTime::node);
  ASSERT_EQ(times.size(), ready.plan_->report().nodes.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i].node, i);
  ASSERT_TRUE(ready.plan_->record_times(false));
  ASSERT_TRUE(ready.run());
  EXPECT_TRUE(ready.plan_->take_times().empty());
}

TEST(Plan, NeedsBackendsWithDifferentNames) {
  EXPECT_FALSE(Plan::compile(model(), testing::options_for({}), {}));
  const auto twice = Plan::compile(model(), testing::options_for({}), Backends{testing::fake(), testing::fake()});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("given twice"));
}

class PassNames final : public PassObserver {
 public:
  void after(std::string_view pass, const Graph& graph) override {
    names.emplace_back(pass);
    nodes.push_back(graph.nodes.size());
  }
  std::vector<std::string> names;
  std::vector<std::size_t> nodes;
};

TEST(Plan, ShowsTheGraphAfterEachPass) {
  PassNames observer;
  PlanOptions options = testing::options_for({});
  options.observer = &observer;
  ASSERT_TRUE(Plan::compile(model(), options, Backends{testing::fake()}));
  EXPECT_THAT(observer.names, ::testing::ElementsAre("specialise", "canonicalise", "fuse", "place", "segment",
                                                     "plan_memory", "compile"));
  EXPECT_LT(observer.nodes[2], observer.nodes[1]);
}

}  // namespace
}  // namespace weft::graph
