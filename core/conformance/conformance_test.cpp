// The engine passes what is right and catches each way of being wrong.
#include "core/conformance/conformance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/conformance/faulty_backend.hpp"
#include "core/conformance/operand_roles.hpp"

namespace weft::conformance {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Options only(std::string op, std::string kernel = "", std::string sample = "") {
  Options options;
  options.op = std::move(op);
  options.kernel = std::move(kernel);
  options.sample = std::move(sample);
  return options;
}

Report report_on(Fault fault, const std::string& op) {
  FaultyBackend backend(fault);
  auto report = run(backend, only(op));
  EXPECT_TRUE(report) << report.error().message;
  return std::move(*report);
}

/// The first failure's message; also checks that the report as a whole fails.
std::string failure(Fault fault, const std::string& op) {
  const Report report = report_on(fault, op);
  EXPECT_FALSE(report.passed());
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.failures.empty()) return kernel.failures.front().message;
  }
  return "no failure";
}

TEST(Conformance, TheReferenceAgreesWithItself) {
  for (const char* op : {"rms_norm", "add", "argmax", "kv_append", "copy"}) {
    const Report report = report_on(Fault::none, op);
    EXPECT_TRUE(report.passed()) << to_text(report);
    ASSERT_EQ(report.kernels.size(), 1U);
    EXPECT_GT(report.kernels[0].cases, 4U);
    EXPECT_EQ(report.kernels[0].worst, 0) << op;
  }
}

TEST(Conformance, SaysWhichRulesReachedAKernel) {
  const Report report = report_on(Fault::none, "rms_norm");
  ASSERT_EQ(report.kernels.size(), 1U);
  EXPECT_EQ(report.kernels[0].kernel, "faulty/rms_norm/plain");
  EXPECT_THAT(report.kernels[0].rules,
              testing::UnorderedElementsAre("faulty/rms_norm.json#3", "faulty/rms_norm.json#1"));
  EXPECT_THAT(report.unreachable, ElementsAre("faulty/rms_norm/foreign"));
  EXPECT_THAT(to_text(report), HasSubstr("not for this device: faulty/rms_norm/foreign"));
}

TEST(Conformance, CatchesAnElementThatWasNeverWritten) {
  EXPECT_THAT(failure(Fault::leaves_one_element_unwritten, "add"), HasSubstr("was never written"));
}

TEST(Conformance, CatchesAnErrorOfOnePercent) {
  EXPECT_THAT(failure(Fault::is_one_percent_off, "rms_norm"),
              AllOf(HasSubstr("output 0 (y): element ["), HasSubstr("wanted"), HasSubstr("seed 1"),
                    HasSubstr("faulty/rms_norm/plain on sample")));
}

TEST(Conformance, CatchesAByteWrittenBesideAnOutput) {
  EXPECT_THAT(failure(Fault::writes_past_the_end, "add"), HasSubstr("output 0 (y): byte 0 after the end was written"));
  EXPECT_THAT(failure(Fault::writes_before_the_start, "add"), HasSubstr("byte 1 before the start was written"));
}

TEST(Conformance, CatchesAChangedInput) {
  EXPECT_THAT(failure(Fault::changes_an_input, "add"), HasSubstr("input 0 (a): was changed, but it is only read"));
  EXPECT_THAT(failure(Fault::changes_a_constant, "quant_matmul"),
              HasSubstr("input 1 (w): was changed, but it is a constant"));
}

TEST(Conformance, CatchesASwallowedNan) {
  for (const char* op : {"add", "rms_norm", "quant_matmul"}) {
    EXPECT_THAT(failure(Fault::swallows_nan, op), AllOf(HasSubstr("with a NaN"), HasSubstr("is 0, wanted nan"))) << op;
  }
}

TEST(Conformance, CatchesAResultThatMoves) {
  EXPECT_THAT(failure(Fault::moves_between_runs, "add"), HasSubstr("differs between two runs"));
}

TEST(Conformance, CatchesAStateChangedBesideTheStepsRows) {
  const Report report = report_on(Fault::scribbles_on_the_state, "kv_append");
  EXPECT_FALSE(report.passed());
  std::vector<std::string> messages;
  for (const Failure& f : report.kernels[0].failures) messages.push_back(f.message);
  EXPECT_THAT(messages, Contains(HasSubstr("byte 0 of the state was changed")));
}

TEST(Conformance, CatchesAMaximumTakenForTheStepsSize) {
  const Report report = report_on(Fault::runs_the_maximum, "copy");
  EXPECT_FALSE(report.passed());
  for (const Failure& f : report.kernels[0].failures) EXPECT_THAT(f.sample, HasSubstr("larger maxima"));
}

TEST(Conformance, CatchesAKernelThatItsRuleOffersButThatDoesNotCompile) {
  EXPECT_THAT(failure(Fault::fails_to_compile, "add"), HasSubstr("compile: this kernel wants another width"));
}

TEST(Conformance, CatchesASelectionThatIsNotTheFirstAlternative) {
  const Report report = report_on(Fault::select_disagrees, "rms_norm");
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.problems, Contains(HasSubstr("select() gives faulty/rms_norm/plain_other")));
}

TEST(Conformance, NoCaseIsAFailure) {
  const Report report = report_on(Fault::none, "softcap");
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(report.cases(), 0U);
  EXPECT_FALSE(report.unsupported.empty());
  EXPECT_THAT(report.problems, ElementsAre("softcap: no case ran: faulty has no kernel for softcap"));
  EXPECT_THAT(to_text(report), HasSubstr("no rule reaches a kernel, and limits.json doesn't say why"));
  FaultyBackend backend(Fault::none);
  const auto none = run(backend, only("add", "", "no sample has this name"));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->passed());
}

TEST(Conformance, RejectsOpsThatNoBackendRuns) {
  FaultyBackend backend(Fault::none);
  const auto unknown = run(backend, only("ad"));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("\"ad\""), HasSubstr("rms_norm")));
  EXPECT_FALSE(run(backend, only("reshape")));
}

TEST(Conformance, KernelFilterChoosesByPartOfTheName) {
  FaultyBackend backend(Fault::none);
  const auto some = run(backend, only("add", "plain"));
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->passed()) << to_text(*some);
  const auto none = run(backend, only("add", "fast"));
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->passed());
}

TEST(OperandRoles, WeightsAreWhatNoStepChanges) {
  std::string weights;
  AllOps::for_each([&]<class T>() {
    for (const Port& port : T::inputs) {
      if (!is_weight(port)) continue;
      weights += fmt::format("{}{}.{}", weights.empty() ? "" : " ", T::name, port.name);
    }
  });
  EXPECT_EQ(weights,
            "embed.table rms_norm.weight quant_matmul.w quant_matmul.bias rope.divisors attention.sinks "
            "norm_matmul.norm_weight norm_matmul.w, bias matmul_add.w matmul_add.bias norm_matmul_glu.norm_weight "
            "norm_matmul_glu.gate norm_matmul_glu.gate_bias norm_matmul_glu.up norm_matmul_glu.up_bias "
            "qk_norm_rope_append.q_norm qk_norm_rope_append.k_norm qk_norm_rope_append.divisors add_rms_norm.weight "
            "logits.norm_weight logits.head");
}

TEST(OperandRoles, LeadingDimensionsHaveTheirSymbols) {
  EXPECT_EQ(leading_symbol(Port{"x", "[T, K] f32"}), Symbol::tokens);
  EXPECT_EQ(leading_symbol(Port{"p", "[T] i32"}), Symbol::tokens);
  EXPECT_EQ(leading_symbol(Port{"t", "[S, 1] i32"}), Symbol::sequences);
  EXPECT_EQ(leading_symbol(Port{"x", "[R, K]"}), Symbol::outputs);
  EXPECT_EQ(leading_symbol(Port{"c", "[kv_rows] state"}), Symbol::kv_rows);
  EXPECT_EQ(leading_symbol(Port{"x", "[…, width]"}), Symbol::tokens);
  EXPECT_EQ(leading_symbol(Port{"w", "[N, K]"}), Symbol::none);
}

}  // namespace
}  // namespace weft::conformance
