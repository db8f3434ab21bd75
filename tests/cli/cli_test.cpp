// The command line as people and scripts meet it: output, exit codes, and one clear line for everything that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace weft::cli_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string smollm2 = model_file("SmolLM2-135M-Instruct.Q4_1.gguf");

/// One line that begins as all errors do, and nothing on stdout.
void expect_error(const Outcome& outcome, int code, const std::string& part) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("weft: error: "));
  EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(Help, ListsVerbsAndExplainsEach) {
  const Outcome all = weft("help");
  EXPECT_EQ(all.code, 0);
  for (const char* verb :
       {"run", "bench", "inspect", "devices", "rules", "graph", "conformance", "quantize", "synth", "tokenize"}) {
    EXPECT_THAT(all.out, HasSubstr(verb));
    const Outcome one = weft(std::string(verb) + " --help");
    EXPECT_EQ(one.code, 0);
    EXPECT_THAT(one.out, StartsWith(std::string("Usage: weft ") + verb));
  }
  EXPECT_THAT(weft("version").out, StartsWith("weft "));
}

TEST(Usage, WrongUseIsOneLineAndExitTwo) {
  EXPECT_EQ(weft("").code, 2);
  expect_error(weft("frobnicate"), 2, "frobnicate");
  expect_error(weft("run --frobnicate"), 2, "frobnicate");
  expect_error(weft("run"), 2, "no model given");
  expect_error(weft("run " + smollm2 + " -p x -c -5"), 2, "-5");
  expect_error(weft("run " + smollm2 + " -p x --backend vulkan"), 2, "vulkan");
  expect_error(weft("run " + smollm2 + " -p x --top-p 7"), 2, "top_p");
  expect_error(weft("run " + smollm2 + " -p x --isa mmx"), 2, "mmx");
  expect_error(weft("bench " + smollm2 + " -p 1x"), 2, "1x");
  expect_error(weft("bench " + smollm2 + " -p 0 -n 0"), 2, "nothing to measure");
}

TEST(Run, GreedyTextIsTheGoldensAndJsonSaysHowFast) {
  const Outcome run = weft("run " + smollm2 +
                           " --temp 0 -n 12 --json -p 'The old lighthouse at the end of the harbour had been dark for "
                           "eleven years when'");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("text"), " a ship arrived with a cargo of gold. The ship was");
  EXPECT_EQ(json.at("tokens").size(), 12U);
  EXPECT_EQ(json.at("finish_reason"), "length");
  EXPECT_GT(json.at("timings").at("predicted_per_second").get<double>(), 0);
  EXPECT_EQ(json.at("timings").at("prompt_n"), 16);
  EXPECT_THAT(json.at("path").get<std::string>(), StartsWith("cpu: "));
}

TEST(Run, TextGoesToStdoutAndSpeedsToStderr) {
  const Outcome run = weft("run " + smollm2 + " --temp 0 -n 4 -f -", "Squares: 1, 4, 9,");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith(" 1"));
  EXPECT_THAT(run.err, HasSubstr("t/s"));
  EXPECT_THAT(run.err, HasSubstr("cpu: "));
}

TEST(Run, ASeedRepeatsAndStopsCut) {
  const std::string run = "run " + smollm2 + " -n 16 -p 'Once upon a time' --json ";
  const auto text = [](const Outcome& o) { return nlohmann::json::parse(o.out).at("text").get<std::string>(); };
  EXPECT_EQ(text(weft(run + "-s 5")), text(weft(run + "-s 5")));
  EXPECT_NE(text(weft(run + "-s 5")), text(weft(run + "-s 6")));
  const Outcome stopped = weft("run " + smollm2 +
                               " --temp 0 -n 40 --json -r ' cargo' -p 'The old lighthouse at the end of "
                               "the harbour had been dark for eleven years when'");
  EXPECT_EQ(text(stopped), " a ship arrived with a");
  EXPECT_EQ(nlohmann::json::parse(stopped.out).at("finish_reason"), "stop");
}

TEST(Run, CtrlCStopsTheAnswerAndPrintsTheSpeeds) {
  const Outcome run =
      weft("run " + smollm2 + " --temp 0 --ignore-eos -p Hello", "", "timeout --preserve-status -s INT 3");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("cancelled"));
  EXPECT_THAT(run.err, HasSubstr("t/s"));
}

TEST(Run, EnvironmentSetsOptionsAndTheCommandLineWins) {
  const auto tokens = [](const Outcome& o) { return nlohmann::json::parse(o.out).at("tokens").size(); };
  const std::string run = "run " + smollm2 + " --temp 0 --json -p Hello";
  EXPECT_EQ(tokens(weft(run, "", "WEFT_PREDICT=3")), 3U);
  EXPECT_EQ(tokens(weft(run + " -n 2", "", "WEFT_PREDICT=3")), 2U);
}

// The context holds prompt and answer; a last token may be drawn from its last position.
TEST(Run, APromptAboveTheContextIsRefusedNotCut) {
  const auto prompt = [](int tokens) {
    std::string text = "a";
    for (int i = 1; i < tokens; ++i) text += " a";
    return " -c 64 --temp 0 -n 8 --ignore-eos --json -p '" + text + "'";
  };
  for (const int tokens : {62, 63, 64}) {
    const Outcome run = weft("run " + smollm2 + prompt(tokens));
    ASSERT_EQ(run.code, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json.at("tokens").size(), static_cast<std::size_t>(65 - tokens));
    EXPECT_EQ(json.at("finish_reason"), "length");
  }
  for (const int tokens : {65, 5000}) {
    const Outcome run = weft("run " + smollm2 + prompt(tokens));
    expect_error(run, 1, "context of 64");
    EXPECT_THAT(run.err, HasSubstr("-c " + std::to_string(tokens)));
  }
}

TEST(Run, AContextThatCannotFitIsOneClearError) {
  expect_error(weft("run " + smollm2 + " -p x -c 1000000000"), 1, "-c");
  expect_error(weft("run " + smollm2 + " -p x -c 2147483647"), 1, "MiB");
  EXPECT_NE(weft("run " + smollm2 + " -p x -c 9223372036854775807").code, 0);
}

TEST(Run, BadFilesAreNamed) {
  expect_error(weft("run nothing.gguf -p x"), 2, "nothing.gguf");
  const auto path = std::filesystem::temp_directory_path() / ("weft_foreign_" + std::to_string(getpid()));
  std::ofstream(path) << "this is no model";
  expect_error(weft("run " + path.string() + " -p x"), 1, path.filename().string());
  expect_error(weft("inspect " + path.string()), 1, path.filename().string());
  std::filesystem::remove(path);
  expect_error(weft("run " + smollm2 + " -p x --rules nowhere.json"), 2, "nowhere.json");
}

TEST(Run, ATruncatedFileIsRefusedAtLoad) {
  const std::string source = smollm2.substr(1, smollm2.size() - 2);
  const auto path = std::filesystem::temp_directory_path() / ("weft_short_" + std::to_string(getpid()) + ".gguf");
  for (const std::uintmax_t cut : {std::uintmax_t{1}, std::filesystem::file_size(source) / 2}) {
    std::filesystem::copy_file(source, path, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path, std::filesystem::file_size(source) - cut);
    expect_error(weft("run " + path.string() + " -p x"), 1, path.filename().string());
  }
  std::filesystem::remove(path);
}

TEST(Explain, ShowsKernelRuleAndWhatWasPassedOver) {
  const Outcome explain = weft("run " + smollm2 + " --explain");
  ASSERT_EQ(explain.code, 0) << explain.err;
  EXPECT_THAT(explain.out, HasSubstr("# prefill"));
  EXPECT_THAT(explain.out, HasSubstr("# decode"));
  EXPECT_THAT(explain.out, HasSubstr("blk.29."));
  EXPECT_THAT(explain.out, HasSubstr("kernel cpu/"));
  EXPECT_THAT(explain.out, HasSubstr("passed over #1"));
  EXPECT_THAT(explain.out, HasSubstr(", wanted "));
}

TEST(Rules, AreCheckedListedAndExplained) {
  EXPECT_THAT(weft("rules check").out, StartsWith("ok: "));
  EXPECT_THAT(weft("rules list --backend cpu --op attention").out, HasSubstr("cpu attention"));
  EXPECT_THAT(weft("rules list").out, HasSubstr("placement"));
  const Outcome explain = weft("rules explain --backend cpu --op quant_matmul tokens=1 layout=rows precision=fast");
  EXPECT_EQ(explain.code, 0) << explain.err;
  EXPECT_THAT(explain.out, HasSubstr("passed over: precision is fast, wanted exact"));
  EXPECT_THAT(explain.out, HasSubstr("matches"));
  expect_error(weft("rules explain --backend cpu --op nothing"), 2, "nothing");
  expect_error(weft("rules frobnicate"), 2, "frobnicate");
}

/// A rule file of the test's own.
class RuleFile {
 public:
  RuleFile(const std::string& name, const std::string& text)
      : path_(std::filesystem::temp_directory_path() / (name + ".json")) {
    std::ofstream(path_) << text;
  }
  ~RuleFile() { std::filesystem::remove(path_); }
  RuleFile(const RuleFile&) = delete;
  RuleFile& operator=(const RuleFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Rules, DiffNamesChangesAndACallThatIsDecidedDifferently) {
  const std::string floor = R"({"when": {}, "use": "portable", "why": "the floor"}]})";
  const std::string head = R"({"schema": 1, "op": "add", "rules": [)";
  const RuleFile plain("cpu.add.plain", head + floor);
  const RuleFile fast(
      "cpu.add.fast",
      head + R"({"when": {"phase": "decode"}, "use": "portable", "with": {"STEP": 2}, "why": "x"},)" + floor);
  const Outcome same = weft("rules diff " + plain.path() + " " + plain.path());
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("no difference"));
  const Outcome text = weft("rules diff " + plain.path() + " " + fast.path());
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("added    #1 portable with STEP=2 when phase decode"));
  EXPECT_THAT(text.out, HasSubstr("weft rules explain --backend cpu --op add phase=decode"));
  const Outcome outcome = weft("rules diff built-in " + fast.path() + " --json");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["same"], false);
  EXPECT_FALSE(json["decisions"].empty());
  for (const auto& decision : json["decisions"]) EXPECT_TRUE(decision["example"].contains("phase")) << decision;
  EXPECT_EQ(weft("rules diff built-in built-in").code, 2);
  EXPECT_EQ(weft("rules diff nowhere.json built-in --backend cpu").code, 2);
}

TEST(Rules, ABrokenFileIsNamedWithRuleAndReason) {
  const RuleFile broken("cpu.add", R"({"schema": 1, "op": "add", "rules": [
      {"when": {"tokns": 1}, "use": "portable", "why": "a fact that isn't there"}]})");
  const Outcome check = weft("rules check --rules " + broken.path());
  expect_error(check, 1, "cpu.add.json");
  EXPECT_THAT(check.err, HasSubstr("tokns"));
  expect_error(weft("run " + smollm2 + " -p x --rules " + broken.path()), 1, "tokns");
}

TEST(Rules, AnOverrideChangesTheKernelAndExplainSaysSo) {
  const RuleFile file("placement", R"({"schema": 1, "op": "placement", "rules": [
      {"when": {"op": "rms_norm"}, "use": "reference", "why": "a test sends norms elsewhere"},
      {"when": {}, "use": "first", "why": "the floor"}]})");
  const Outcome explain = weft("run " + smollm2 + " --no-fuse --explain --rules " + file.path());
  ASSERT_EQ(explain.code, 0) << explain.err;
  EXPECT_THAT(explain.out, HasSubstr("a test sends norms elsewhere"));
  EXPECT_THAT(explain.out, HasSubstr("kernel reference/rms_norm"));
}

TEST(Conformance, ReportsAsTableJsonAndJunit) {
  const Outcome table = weft("conformance --backend reference --op softcap");
  EXPECT_EQ(table.code, 0) << table.out;
  EXPECT_THAT(table.out, HasSubstr("reference/softcap/plain"));
  const auto json = nlohmann::json::parse(weft("conformance --backend cpu --op softcap --format json").out);
  EXPECT_EQ(json.at("passed"), true);
  EXPECT_GT(json.at("cases").get<int>(), 0);
  EXPECT_THAT(weft("conformance --backend cpu --op softcap --format junit").out, HasSubstr("failures=\"0\""));
  expect_error(weft("conformance --op nothing"), 2, "nothing");
}

TEST(Conformance, NoCaseIsAFailure) {
  EXPECT_EQ(weft("conformance --backend reference --op softcap --sample 'no such sample'").code, 1);
}

TEST(Graph, IsWrittenAfterAnyPassAsTextOrDot) {
  const Outcome unfused = weft("graph " + smollm2 + " --dump-graph after:canonicalise");
  ASSERT_EQ(unfused.code, 0) << unfused.err;
  EXPECT_THAT(unfused.out, HasSubstr("blk.0.attn_q = quant_matmul"));
  EXPECT_THAT(weft("graph " + smollm2 + " --phase prefill").out, HasSubstr("norm_matmul"));
  EXPECT_THAT(weft("graph " + smollm2 + " --format dot").out, StartsWith("digraph"));
  expect_error(weft("graph " + smollm2 + " --dump-graph after:lunch"), 2, "after:fuse");
}

TEST(Profile, TimesKernelsWithoutChangingTheText) {
  const std::string run = "run " + smollm2 + " --temp 0 -n 6 -p Hello";
  const Outcome plain = weft(run);
  const Outcome profiled = weft(run + " --profile");
  ASSERT_EQ(profiled.code, 0) << profiled.err;
  EXPECT_EQ(plain.out, profiled.out);
  EXPECT_THAT(profiled.err, HasSubstr("# decode"));
  EXPECT_THAT(profiled.err, HasSubstr("all steps"));
}

TEST(Bench, TableAndJsonHoldTheSameTests) {
  const Outcome json = weft("bench " + smollm2 + " -p 16 -n 4 -d 0,8 -r 2 -o json");
  ASSERT_EQ(json.code, 0) << json.err;
  const auto rows = nlohmann::json::parse(json.out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("test"), "pp16");
  EXPECT_EQ(rows[3].at("test"), "tg4 @ d8");
  EXPECT_EQ(rows[1].at("samples_ts").size(), 2U);
  EXPECT_GT(rows[1].at("read_bytes_per_second").get<double>(), 0);
  EXPECT_GT(rows[1].at("bandwidth_before").get<double>(), 0);
  const Outcome table = weft("bench " + smollm2 + " -p 16 -n 0 -r 1");
  EXPECT_THAT(table.out, HasSubstr("| pp16 |"));
  EXPECT_THAT(table.out, HasSubstr("read bandwidth"));
}

TEST(Tokenize, GoesThereAndBack) {
  const Outcome ids = weft("tokenize " + smollm2 + " -p 'Hello world' --json");
  ASSERT_EQ(ids.code, 0) << ids.err;
  const auto list = nlohmann::json::parse(ids.out);
  std::string joined;
  for (const auto& id : list) joined += std::to_string(id.get<int>()) + ",";
  EXPECT_EQ(weft("tokenize " + smollm2 + " --ids " + joined).out, "Hello world");
  expect_error(weft("tokenize " + smollm2 + " --ids 99999999"), 1, "99999999");
  expect_error(weft("tokenize " + smollm2 + " --ids x"), 2, "x");
  // Bytes after a NUL are part of the text.
  const Outcome nul = weft("tokenize " + smollm2 + " -f - --json", std::string("ab\0cd", 5));
  EXPECT_GE(nlohmann::json::parse(nul.out).size(), 2U);
  EXPECT_NE(nul.out, weft("tokenize " + smollm2 + " -p ab --json").out);
}

TEST(Inspect, ListsTensorsAsTextAndJson) {
  const Outcome text = weft("inspect " + smollm2);
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("token_embd.weight"));
  const auto json = nlohmann::json::parse(weft("inspect " + smollm2 + " --json").out);
  EXPECT_EQ(json.at("tensors").size(), 272U);
}

TEST(Devices, ListsTheProcessor) {
  EXPECT_THAT(weft("devices").out, HasSubstr("CPU"));
  const auto json = nlohmann::json::parse(weft("devices --json").out);
  ASSERT_FALSE(json.empty());
  EXPECT_TRUE(std::ranges::any_of(json, [](const auto& d) { return d.at("backend") == "cpu"; }));
}

}  // namespace
}  // namespace weft::cli_tests
