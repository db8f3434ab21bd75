// weft quantize and weft synth as people and scripts meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace weft::cli_tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class WeightVerbs : public testing::Test {
 protected:
  WeightVerbs() : folder_(fs::temp_directory_path() / ("weft_weights_" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~WeightVerbs() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void tiny(const std::string& name, const std::string& options) const {
    const Outcome made = weft("synth --shape tiny " + options + " " + file(name));
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out, "");
    EXPECT_THAT(made.err, HasSubstr("GB/s"));
    EXPECT_THAT(made.err, testing::Not(HasSubstr("\r"))) << "progress is for terminals";
  }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename().string());
    std::ranges::sort(found);
    return found;
  }

  fs::path folder_;
};

void expect_refused(const Outcome& outcome, int code, const std::string& part) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("weft: error: "));
  EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(WeightVerbs, AModelIsMadeQuantisedAndRun) {
  tiny("a.gguf", "--type f16 --seed 5");
  const Outcome table = weft("quantize " + file("a.gguf") + " " + file("q.gguf") + " --type Q4_K");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("blk.0.ffn_up.weight"));
  EXPECT_THAT(table.out, HasSubstr("q6_k"));  // the head
  EXPECT_THAT(table.err, HasSubstr("MiB/s"));
  EXPECT_EQ(weft("run " + file("q.gguf") + " -p Hello -n 3 --ignore-eos").code, 0);
  const auto inspected = nlohmann::json::parse(weft("inspect " + file("q.gguf") + " --json").out);
  EXPECT_EQ(inspected.at("metadata").at("general.file_type"), 14);
  EXPECT_EQ(inspected.at("metadata").at("general.name"), "synthetic tiny");
}

TEST_F(WeightVerbs, JsonReportsEachTensor) {
  tiny("a.gguf", "--type f16");
  const Outcome done = weft("quantize " + file("a.gguf") + " " + file("q.gguf") + " --type q8_0 --json");
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json.at("type"), "q8_0");
  EXPECT_LT(json.at("bytes_after"), json.at("bytes_before"));
  for (const auto& tensor : json.at("tensors")) {
    const double error = tensor.at("relative_error");
    const bool rounded = tensor.at("from") != tensor.at("to");
    EXPECT_EQ(error > 0, rounded) << tensor.dump();
    EXPECT_LT(error, 0.01);
  }
}

TEST_F(WeightVerbs, ThreadsChangeNothing) {
  for (const char* threads : {"1", "3"}) {
    tiny(std::string("a") + threads, std::string("--type f32 -t ") + threads);
    const std::string in = file(std::string("a") + threads), out = file(std::string("q") + threads);
    EXPECT_EQ(weft("quantize " + in + " " + out + " --type q5_k -t " + threads).code, 0);
  }
  EXPECT_EQ(bytes("a1"), bytes("a3"));
  EXPECT_EQ(bytes("q1"), bytes("q3"));
}

TEST_F(WeightVerbs, WrongUseIsOneLine) {
  tiny("a.gguf", "--type f16");
  const std::string a = file("a.gguf");
  expect_refused(weft("quantize " + a + " --type q8_0"), 2, "two files");
  expect_refused(weft("quantize " + a + " " + file("b")), 2, "--type is missing");
  expect_refused(weft("quantize " + a + " " + file("b") + " --type q9_z"), 2, "q8_0, q6_k");
  expect_refused(weft("quantize " + a + " " + file("b") + " --type q8_0 -t -1"), 2, "-1");
  expect_refused(weft("quantize nothing.gguf " + file("b") + " --type q8_0"), 2, "nothing.gguf");
  expect_refused(weft("quantize " + a + " " + file("b") + " --type q8_0 --rules nowhere.json"), 2, "nowhere.json");
  expect_refused(weft("quantize " + a + " /nowhere/b.gguf --type q8_0"), 2, "/nowhere/b.gguf");
  expect_refused(weft("synth --shape tiny --type q8_0"), 2, "a file to write");
  expect_refused(weft("synth --shape huge --type q8_0 " + file("b")), 2, "llama-8b");
  expect_refused(weft("synth --shape tiny --type i32 " + file("b")), 2, "q4_k");
  EXPECT_THAT(names(), testing::ElementsAre("a.gguf"));
}

TEST_F(WeightVerbs, TheInputStaysWhateverItIsCalled) {
  tiny("a.gguf", "--type f16");
  const std::string before = bytes("a.gguf");
  fs::create_symlink(file("a.gguf"), file("symbolic.gguf"));
  fs::create_hard_link(file("a.gguf"), file("hard.gguf"));
  for (const char* name : {"a.gguf", "symbolic.gguf", "hard.gguf"}) {
    expect_refused(weft("quantize " + file("a.gguf") + " " + file(name) + " --type q8_0"), 2, "is the input file");
    EXPECT_EQ(bytes("a.gguf"), before);
  }
}

TEST_F(WeightVerbs, ADamagedInputLeavesNoOutput) {
  tiny("a.gguf", "--type f16");
  fs::resize_file(file("a.gguf"), fs::file_size(file("a.gguf")) / 2);
  expect_refused(weft("quantize " + file("a.gguf") + " " + file("q.gguf") + " --type q8_0"), 1, "a.gguf");
  EXPECT_THAT(names(), testing::ElementsAre("a.gguf"));
}

// A limit on file sizes fails a write as a full disk does, once its signal is ignored.
TEST_F(WeightVerbs, AFullDiskLeavesNoPartOfTheOutput) {
  tiny("a.gguf", "--type f16");
  std::ofstream(file("q.gguf")) << "what was there before";
  const std::string full = "trap '' XFSZ; ulimit -f 256;";
  const Outcome quantised = weft("quantize " + file("a.gguf") + " " + file("q.gguf") + " --type q8_0", "", full);
  expect_refused(quantised, 2, "can't be written");
  expect_refused(weft("synth --shape tiny --type f32 " + file("s.gguf"), "", full), 2, "can't be written");
  EXPECT_THAT(names(), testing::ElementsAre("a.gguf", "q.gguf"));
  EXPECT_EQ(bytes("q.gguf"), "what was there before");
}

TEST_F(WeightVerbs, CtrlCLeavesNoPartOfTheOutput) {
  const Outcome stopped =
      weft("synth --shape llama-70b --type f32 " + file("s.gguf"), "", "timeout --preserve-status -s INT 1");
  expect_refused(stopped, 1, "stopped at");
  EXPECT_TRUE(names().empty());
}

TEST_F(WeightVerbs, ATableOfOnesOwnDecides) {
  tiny("a.gguf", "--type f16");
  std::ofstream(file("t.json")) << R"({"schema": 1, "op": "weight_type", "rules": [
      {"when": {"rank": {"at_most": 1}}, "use": "f32", "why": "small"},
      {"when": {"tensor": "ffn_down.weight", "layer": 0}, "use": "q8_0", "why": "a test"},
      {"when": {}, "use": "asked", "why": "the floor"}]})";
  const Outcome done =
      weft("quantize " + file("a.gguf") + " " + file("q.gguf") + " --type q4_0 --json --rules " + file("t.json"));
  ASSERT_EQ(done.code, 0) << done.err;
  for (const auto& tensor : nlohmann::json::parse(done.out).at("tensors")) {
    if (tensor.at("name") == "blk.0.ffn_down.weight") {
      EXPECT_EQ(tensor.at("to"), "q8_0");
    }
    if (tensor.at("name") == "blk.1.ffn_down.weight") {
      EXPECT_EQ(tensor.at("to"), "q4_0");
    }
    if (tensor.at("name") == "token_embd.weight") {
      EXPECT_EQ(tensor.at("to"), "q4_0");
    }
  }
}

}  // namespace
}  // namespace weft::cli_tests
