// limits.json: what it names is unsupported, what it doesn't is a failure, and what it names wrongly is found.
#include "core/conformance/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/conformance/conformance.hpp"
#include "tests/conformance/mutant_backend.hpp"

namespace weft::conformance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Of a backend that has a right kernel for `has`, on `op`.
Report report_on(const std::string& has, const std::string& op, std::string_view limits) {
  MutantBackend backend({.op = has, .kernel = run_reference}, {"test/limits.json", limits});
  Options options;
  options.op = op;
  auto report = run(backend, options);
  EXPECT_TRUE(report) << report.error().message;
  return report ? std::move(*report) : Report();
}

std::string rejection(std::string_view json) {
  const auto limits = Limits::parse({"test/limits.json", json}, {});
  return limits ? "accepted" : limits.error().message;
}

TEST(Limits, WhatTheyDoNotNameIsAFailure) {
  const Report report = report_on("add", "scale", "");
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.problems, ElementsAre("scale: no case ran: mutant has no kernel for scale"));
  EXPECT_THAT(to_text(report), HasSubstr("limits.json doesn't say why: mutant has no kernel for scale"));
}

TEST(Limits, WhatTheyNameIsUnsupportedWithTheReason) {
  const Report report =
      report_on("add", "", R"({"schema": 1, "limits": [{"op": {"not": "add"}, "when": {}, "reason": "sums only"}]})");
  EXPECT_TRUE(report.passed()) << to_text(report);
  EXPECT_GT(report.cases(), 10U);
  EXPECT_GT(report.unsupported_of("scale"), 1U);
  EXPECT_EQ(report.unsupported_of("add"), 0U);
  EXPECT_THAT(to_text(report), HasSubstr("samples: sums only (limit 1)"));
}

TEST(Limits, NothingButWhatTheyNameIsNoSuccess) {
  const Report report =
      report_on("add", "scale", R"({"schema": 1, "limits": [{"op": "scale", "when": {}, "reason": "sums only"}]})");
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST(Limits, AnUnexpectedPassFails) {
  const Report report = report_on(
      "add", "add",
      R"({"schema": 1, "limits": [{"op": "add", "when": {"sample": "denormals"}, "reason": "flushed to zero"}]})");
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.problems, ElementsAre(AllOf(HasSubstr("add: unexpected pass: limit 1"), HasSubstr("denormals"),
                                                 HasSubstr("one of 3 such cases"))));
}

TEST(Limits, AnEntryThatNamesNothingFails) {
  const Report report =
      report_on("add", "add", R"({"schema": 1, "limits": [{"op": "add", "when": {"rows": 12345}, "reason": "why"}]})");
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.problems, ElementsAre(HasSubstr("limit 1 of limits.json names no sample")));
}

TEST(Limits, BrokenFilesAreRejectedWithPlaceAndReason) {
  EXPECT_THAT(rejection("{"), HasSubstr("test/limits.json"));
  EXPECT_THAT(rejection(R"({"schema": 2, "limits": []})"), HasSubstr("\"schema\": 1"));
  EXPECT_THAT(rejection(R"({"schema": 1, "limits": [{"op": "ad", "when": {}, "reason": "r"}]})"),
              AllOf(HasSubstr("limit 1"), HasSubstr("\"ad\"")));
  EXPECT_THAT(rejection(R"({"schema": 1, "limits": [{"op": "add", "reason": "r"}]})"),
              HasSubstr("\"when\" is missing"));
  EXPECT_THAT(rejection(R"({"schema": 1, "limits": [{"op": "add", "when": {}}]})"), HasSubstr("\"reason\" is missing"));
  EXPECT_THAT(rejection(R"({"schema": 1, "limits": [{"op": "add", "when": {}, "reason": " "}]})"),
              HasSubstr("is empty"));
  EXPECT_THAT(rejection(R"({"schema": 1, "limits": [{"op": "add", "when": {"colour": 1}, "reason": "r"}]})"),
              HasSubstr("unknown fact \"colour\""));
  EXPECT_THAT(rejection(R"({"schema": 1, "limits": [{"op": "add", "when": {}, "reason": "r"},
                                                    {"op": "add", "when": {"rows": 1}, "reason": "r"}]})"),
              HasSubstr("shadowed"));
}

}  // namespace
}  // namespace weft::conformance
