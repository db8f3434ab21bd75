// A backend that was built against the installed package: proved, run together with cpu, and refused where it must be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/all.hpp"
#include "tests/cli/program.hpp"
#include "tests/goldens/golden_data.hpp"

namespace weft::plugin_tests {
namespace {

using cli_tests::weft;
using testing::HasSubstr;

std::string library(const std::string& name) { return std::string(WEFT_PLUGIN_DIR) + "/" + name; }
std::string option(const std::string& name) { return " --backend-library '" + library(name) + "'"; }

class OpConformance : public testing::TestWithParam<const char*> {};
TEST_P(OpConformance, HoldsForTheOpsThatThePluginHas) {
  const auto outcome = weft("conformance --backend example --op " + std::string(GetParam()) + option("libexample.so"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(std::string("example/") + GetParam() + "/rows"));
}
INSTANTIATE_TEST_SUITE_P(Plugin, OpConformance, testing::Values("rms_norm", "quant_matmul", "add", "mul"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Conformance, HoldsForTheWholePlugin) {
  const auto outcome = weft("conformance --quick --isolate --backend example" + option("libexample.so"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the example has four ops (limit 1)"));
}

struct Refusal {
  const char* file;
  const char* reason;
  int code;
};
class Refused : public testing::TestWithParam<Refusal> {};
TEST_P(Refused, SaysWhy) {
  const auto outcome = weft("devices" + option(GetParam().file));
  EXPECT_EQ(outcome.code, GetParam().code);
  EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().file));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().reason));
}
INSTANTIATE_TEST_SUITE_P(Plugin, Refused,
                         testing::Values(Refusal{"libother_abi.so",
                                                 "built for backend interface 2, wanted 1; rebuild it", 1},
                                         Refusal{"libno_symbol.so", "exports no function weft_backend_plugin", 1},
                                         Refusal{"build.ninja", "can't be loaded as a backend library", 1},
                                         Refusal{"missing.so", "no such file", 2}),
                         [](const auto& instance) {
                           std::string name = instance.param.file;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(Plugin, NamesMustDiffer) {
  const auto outcome = weft("devices" + option("libexample.so") + option("libexample.so"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("there is a backend \"example\" already"));
}

TEST(Plugin, IsListedAmongTheDevices) {
  const auto outcome = weft("devices" + option("libexample.so"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Example: plain loops on the host"));
}

/// The plug-in's ops on it, the others on cpu, both exact; golden tokens wherever the golden isn't a near tie.
TEST(Plugin, GivesTheGoldenTokensTogetherWithCpu) {
  const goldens::Golden golden = goldens::load_golden("SmolLM2-135M-Instruct.Q4_1");
  const auto model = goldens::load_model(golden);
  ASSERT_NE(model, nullptr);
  const std::vector<std::string> files{library("libexample.so")};
  const auto catalogue = BackendCatalogue::load(files);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  std::vector<std::shared_ptr<Backend>> backends;
  for (const char* name : {"example", "cpu", "reference"}) {
    auto backend = catalogue->make(name, {});
    ASSERT_TRUE(backend) << backend.error().message;
    backends.push_back(std::move(*backend));
  }
  models::SessionOptions options;
  options.context = 512;
  options.precision = Precision::exact;
  const auto session = models::Session::make(model, backends, options);
  ASSERT_TRUE(session) << session.error().message;
  const goldens::Prompt& prompt = golden.prompts.front();
  const std::vector<float> rows = goldens::teacher_forced(**session, prompt);
  const std::size_t vocabulary = rows.size() / prompt.greedy.size();
  std::size_t compared = 0;
  for (std::size_t i = 0; i < prompt.greedy.size(); ++i) {
    if (prompt.gap[i] < golden.bounds.f32_gap) continue;
    ++compared;
    const auto row = std::span(rows).subspan(i * vocabulary, vocabulary);
    EXPECT_EQ(goldens::arg_max(row), static_cast<std::size_t>(prompt.greedy[i])) << "token " << i;
  }
  EXPECT_GE(compared, prompt.greedy.size() / 2);
}

TEST(Plugin, RunsMostOfAModelNextToCpu) {
  const auto outcome = weft("run " + cli_tests::model_file("SmolLM2-135M-Instruct.Q4_1.gguf") +
                            " --explain --backend example,cpu" + option("libexample.so"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("example/quant_matmul/rows"));
  EXPECT_THAT(outcome.out, HasSubstr("cpu/"));
}

}  // namespace
}  // namespace weft::plugin_tests
