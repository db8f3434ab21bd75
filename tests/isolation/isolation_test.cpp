// A kernel that crashes or hangs costs its case: the report names it, and everything else has run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace weft::isolation_tests {
namespace {

using cli_tests::Outcome;
using cli_tests::weft;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Outcome conformance(const std::string& how, const std::string& more = "") {
  return weft("conformance --backend mutant --op softcap --backend-library '" WEFT_BREAKING_BACKEND "' --device '" +
              how + "' " + more);
}

/// The report with --isolate; fails the test if there is none.
json isolated(const std::string& how, const std::string& more = "") {
  const Outcome outcome = conformance(how, "--isolate --format json " + more);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const json report = json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(report.is_object()) << outcome.out << outcome.err;
  return report;
}

std::size_t cases_of_a_right_run() {
  return json::parse(conformance("", "--format json").out).at("cases").get<std::size_t>();
}

/// The sample runs in three cases: with exact and larger maxima, and with a NaN.
void expect_one_sample_failed(const json& report, const std::string& how) {
  EXPECT_EQ(report.at("cases"), cases_of_a_right_run());
  EXPECT_TRUE(report.at("problems").empty()) << report.at("problems");
  const json& kernel = report.at("kernels").at(0);
  EXPECT_EQ(kernel.at("failed"), 3);
  const json& failure = kernel.at("failures").at(0);
  EXPECT_EQ(failure.at("sample"), "cap below the values, exact maxima");
  EXPECT_THAT(failure.at("message").get<std::string>(),
              AllOf(StartsWith("mutant/softcap/plain on sample \"cap below the values, exact maxima\""),
                    HasSubstr("seed 1: the process that ran it " + how)));
}

TEST(Isolation, ChangesNothingInTheReportOfARightBackend) {
  const Outcome here = conformance("");
  EXPECT_EQ(here.code, 0) << here.out;
  EXPECT_EQ(conformance("", "--isolate").out, here.out);
  EXPECT_EQ(conformance("", "--jobs 3").out, here.out);
}

TEST(Isolation, NamesTheCaseThatCrashes) {
  expect_one_sample_failed(isolated("abort"), "was ended by signal 6 (Aborted)");
  expect_one_sample_failed(isolated("segfault", "--jobs 2"), "was ended by signal 11 (Segmentation fault)");
  expect_one_sample_failed(isolated("leave"), "left before its end");
}

TEST(Isolation, NamesTheCaseThatHangs) {
  expect_one_sample_failed(isolated("hang", "--timeout 1 --jobs 3"), "did not end within 1 s");
}

TEST(Isolation, PrintsTheCommandThatRepeatsACrash) {
  const std::string command = isolated("abort").at("kernels").at(0).at("failures").at(0).at("repeat");
  ASSERT_THAT(command, StartsWith("weft conformance "));
  EXPECT_EQ(weft(command.substr(5)).code, 128 + 6) << command;
}

TEST(Isolation, NamesTheSampleOfACrashBetweenCases) {
  const json report = isolated("select abort");
  EXPECT_LT(report.at("cases"), cases_of_a_right_run());
  EXPECT_EQ(report.at("problems").at(0),
            "softcap: sample \"cap below the values\": a child process was ended by signal 6 (Aborted) between cases; "
            "the rest of the sample did not run");
}

TEST(Isolation, SaysThatTheBackendCannotBeOpened) {
  const Outcome outcome = conformance("opening abort", "--isolate");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("opening the backend: a child process was ended by signal 6 (Aborted)"));
}

TEST(Isolation, SeesACrashWhileTheBackendCloses) {
  EXPECT_THAT(conformance("closing abort", "--isolate").err,
              HasSubstr("was ended by signal 6 (Aborted) after its last"));
}

TEST(Isolation, LeavesOutAKernelThatNeverComesBack) {
  const json report = isolated("always abort");
  EXPECT_EQ(report.at("cases"), 10);
  EXPECT_EQ(report.at("kernels").at(0).at("failed"), 10);
  EXPECT_THAT(report.at("problems").at(0).get<std::string>(),
              HasSubstr("mutant/softcap/plain: left out after it ended 10 child processes"));
}

TEST(Isolation, PluginsNameWhatTheyLeaveOut) {
  const Outcome all =
      weft("conformance --jobs 2 --quick --backend mutant --backend-library '" WEFT_BREAKING_BACKEND "'");
  EXPECT_EQ(all.code, 0) << all.out;
  EXPECT_THAT(all.out, HasSubstr("a test needs one op (limit 1)"));
}

}  // namespace
}  // namespace weft::isolation_tests
