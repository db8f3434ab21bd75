// Each family against an independent forward pass, on each backend, and what sessions promise, on tiny random models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/families/tiny_model.hpp"

namespace weft::families {
namespace {

models::SessionOptions exact_options() {
  models::SessionOptions options;
  options.context = 128;
  options.precision = Precision::exact;
  options.k_type = options.v_type = DType::f32;
  options.outputs = 64;
  return options;
}

std::vector<float> all_logits(models::Session& session, std::span<const models::TokenId> ids) {
  const models::SequenceInput input{0, ids, models::Logits::all};
  const auto logits = session.evaluate({&input, 1});
  if (!logits) {
    ADD_FAILURE() << logits.error().message;
    return {};
  }
  return {logits->begin(), logits->end()};
}

void expect_close(std::span<const float> got, std::span<const double> want, double bound) {
  ASSERT_EQ(got.size(), want.size());
  double magnitude = 0;
  for (const double x : want) magnitude = std::max(magnitude, std::abs(x));
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) worst = std::max(worst, std::abs(got[i] - want[i]));
  EXPECT_LE(worst, bound * magnitude);
}

TinyModel tiny_of(const std::string& family) {
  TinyModel m = family == "llama"   ? TinyModel::llama()
                : family == "qwen2" ? TinyModel::qwen2()
                : family == "qwen3" ? TinyModel::qwen3()
                                    : TinyModel::gemma3();
  m.fill();
  return m;
}

class Family : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Family, EqualsTheTextbook) {
  const auto& [family, backend] = GetParam();
  const TinyModel tiny = tiny_of(family);
  const auto ids = some_tokens(40);
  const auto want = forward(tiny, ids);
  for (const bool fuse : {true, false}) {
    models::SessionOptions options = exact_options();
    options.fuse = fuse;
    const auto session = open_tiny(tiny, backend, options);
    ASSERT_NE(session, nullptr);
    SCOPED_TRACE(fuse ? "fused" : "unfused");
    expect_close(all_logits(*session, ids), want, 2e-5);
  }
}

// Decode and chunked prefill, windows shorter and longer than the chunk, all positions.
TEST_P(Family, ChunksChangeNothing) {
  const auto& [family, backend] = GetParam();
  const TinyModel tiny = tiny_of(family);
  const auto ids = some_tokens(60);
  const auto want = forward(tiny, ids);
  for (const std::int64_t chunk : {1, 3, 7, 8, 9, 15, 16, 17, 40}) {
    models::SessionOptions options = exact_options();
    options.chunk = chunk;
    options.outputs = chunk;
    const auto session = open_tiny(tiny, backend, options);
    ASSERT_NE(session, nullptr);
    std::vector<float> got = all_logits(*session, std::span(ids).first(40));
    for (std::size_t i = 40; i < ids.size(); ++i) {
      const auto row = all_logits(*session, std::span(ids).subspan(i, 1));
      got.insert(got.end(), row.begin(), row.end());
    }
    SCOPED_TRACE(chunk);
    expect_close(got, want, 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Family,
                         testing::Combine(testing::Values("llama", "qwen2", "qwen3", "gemma3"),
                                          testing::Values("reference", "cpu", "opencl")),
                         [](const auto& made) { return std::get<0>(made.param) + "_" + std::get<1>(made.param); });

class Sessions : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Sessions, testing::Values("reference", "cpu", "opencl"),
                         [](const auto& made) { return made.param; });

TEST_P(Sessions, KeysOutsideTheWindowAreNotSeen) {
  TinyModel tiny = TinyModel::gemma3();
  tiny.layers = 1;
  tiny.fill();
  const auto session = open_tiny(tiny, GetParam(), exact_options());
  ASSERT_NE(session, nullptr);
  auto ids = some_tokens(24);
  const auto before = all_logits(*session, ids);
  ASSERT_TRUE(session->truncate(0, 0));
  ids[0] = (ids[0] + 1) % 256;
  const auto after = all_logits(*session, ids);
  const auto row = [](const std::vector<float>& logits, std::size_t i) {
    return std::span(logits).subspan(i * TinyModel::vocab, TinyModel::vocab);
  };
  EXPECT_FALSE(std::ranges::equal(row(before, 7), row(after, 7)));
  for (std::size_t i = 8; i < ids.size(); ++i) EXPECT_TRUE(std::ranges::equal(row(before, i), row(after, i))) << i;
}

TEST_P(Sessions, RaggedBatchesEqualSingleRuns) {
  const TinyModel tiny = tiny_of("gemma3");
  models::SessionOptions options = exact_options();
  options.sequences = 4;
  const auto session = open_tiny(tiny, GetParam(), options);
  ASSERT_NE(session, nullptr);
  const std::array<std::vector<models::TokenId>, 4> texts{some_tokens(1), some_tokens(5), {}, some_tokens(33)};
  std::array<models::SequenceInput, 4> inputs;
  std::vector<double> want;
  for (std::size_t s = 0; s < 4; ++s) {
    inputs[s] = {static_cast<std::int64_t>(s), texts[s], models::Logits::all};
    if (texts[s].empty()) continue;
    const auto alone = forward(tiny, texts[s]);
    want.insert(want.end(), alone.begin(), alone.end());
  }
  const auto got = session->evaluate(inputs);
  ASSERT_TRUE(got) << got.error().message;
  expect_close(*got, want, 2e-5);
  EXPECT_EQ(session->length(2), 0);
  EXPECT_EQ(session->length(3), 33);
}

// What other sequences of a batch hold changes nothing, down to the bits.
TEST_P(Sessions, OtherSequencesDoNotMatter) {
  const TinyModel tiny = tiny_of("gemma3");
  models::SessionOptions options = exact_options();
  options.sequences = 3;
  std::vector<std::vector<float>> results;
  for (const int shift : {0, 1}) {
    const auto session = open_tiny(tiny, GetParam(), options);
    ASSERT_NE(session, nullptr);
    const auto mine = some_tokens(19);
    auto others = some_tokens(23);
    for (auto& id : others) id = (id + shift) % 256;
    const std::array<models::SequenceInput, 3> inputs{
        models::SequenceInput{2, std::span(others).first(7), models::Logits::none},
        models::SequenceInput{0, mine, models::Logits::all}, models::SequenceInput{1, others, models::Logits::none}};
    const auto logits = session->evaluate(inputs);
    ASSERT_TRUE(logits) << logits.error().message;
    results.emplace_back(logits->begin(), logits->end());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_P(Sessions, DamagedWeightsAreAnErrorAndTheStepDoesNotCount) {
  TinyModel tiny = tiny_of("llama");
  tiny.weights["output_norm.weight"][3] = std::numeric_limits<float>::quiet_NaN();
  const auto session = open_tiny(tiny, GetParam(), exact_options());
  ASSERT_NE(session, nullptr);
  const auto ids = some_tokens(5);
  const models::SequenceInput input{0, ids, models::Logits::last};
  const auto logits = session->evaluate({&input, 1});
  ASSERT_FALSE(logits);
  EXPECT_EQ(logits.error().code, ErrorCode::non_finite);
  EXPECT_NE(logits.error().message.find("position 4"), std::string::npos) << logits.error().message;
  EXPECT_EQ(session->length(0), 0);
}

TEST_P(Sessions, FullContextIsAnErrorAndTheSessionGoesOn) {
  const TinyModel tiny = tiny_of("llama");
  models::SessionOptions options = exact_options();
  options.context = 16;
  const auto session = open_tiny(tiny, GetParam(), options);
  ASSERT_NE(session, nullptr);
  const auto ids = some_tokens(20);
  const models::SequenceInput much{0, std::span(ids).first(17), models::Logits::last};
  const auto refused = session->evaluate({&much, 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::context_overflow);
  EXPECT_EQ(session->length(0), 0);
  const models::SequenceInput fits{0, std::span(ids).first(16), models::Logits::last};
  ASSERT_TRUE(session->evaluate({&fits, 1}));
  const models::SequenceInput one{0, std::span(ids).subspan(16, 1), models::Logits::last};
  EXPECT_FALSE(session->evaluate({&one, 1}));
  EXPECT_EQ(session->length(0), 16);
}

TEST_P(Sessions, GrowingCachesKeepTheirRows) {
  const TinyModel tiny = tiny_of("qwen2");
  models::SessionOptions options = exact_options();
  options.context = 1024;  // more than one chunk of rows
  options.sequences = 2;
  options.chunk = 64;
  const auto session = open_tiny(tiny, GetParam(), options);
  ASSERT_NE(session, nullptr);
  const auto ids = some_tokens(300);
  const std::array<models::SequenceInput, 2> start{
      models::SequenceInput{0, std::span(ids).first(50), models::Logits::none},
      models::SequenceInput{1, std::span(ids).first(20), models::Logits::none}};
  ASSERT_TRUE(session->evaluate(start));
  const std::array<models::SequenceInput, 2> rest{
      models::SequenceInput{0, std::span(ids).subspan(50, 250), models::Logits::last},
      models::SequenceInput{1, std::span(ids).subspan(20, 1), models::Logits::last}};
  const auto got = session->evaluate(rest);
  ASSERT_TRUE(got) << got.error().message;
  const auto want = forward(tiny, ids);
  constexpr auto vocab = static_cast<std::size_t>(TinyModel::vocab);
  expect_close(got->first(vocab), std::span(want).subspan(299 * vocab, vocab), 1e-4);
  expect_close(got->subspan(vocab), std::span(want).subspan(20 * vocab, vocab), 1e-4);
}

TEST(Sessions, WrongInputsAreRefusedBeforeAnythingRuns) {
  const auto session = open_tiny(tiny_of("llama"), "reference", exact_options());
  ASSERT_NE(session, nullptr);
  const std::vector<models::TokenId> outside{1, 257};
  const std::vector<models::TokenId> good{1};
  const models::SequenceInput bad_token{0, outside, models::Logits::last};
  const models::SequenceInput bad_sequence{1, good, models::Logits::last};
  const std::array<models::SequenceInput, 2> twice{models::SequenceInput{0, good}, models::SequenceInput{0, good}};
  EXPECT_EQ(session->evaluate({&bad_token, 1}).error().code, ErrorCode::invalid_token);
  EXPECT_EQ(session->evaluate({&bad_sequence, 1}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(session->evaluate(twice).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(session->length(0), 0);
}

Result<std::shared_ptr<const models::Model>> load(const TinyModel& tiny) {
  const TemporaryFile file("broken.gguf");
  tiny.write(file.path());
  return models::Model::load(file.path());
}

TEST(BadModels, AreNamed) {
  TinyModel foreign = tiny_of("llama");
  foreign.architecture = "mamba";
  const auto unknown = load(foreign);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::unsupported);
  EXPECT_NE(unknown.error().message.find("mamba"), std::string::npos);

  TinyModel heads = tiny_of("llama");
  heads.kv_heads = 3;
  heads.fill();
  const auto uneven = load(heads);
  ASSERT_FALSE(uneven);
  EXPECT_NE(uneven.error().message.find("not a multiple"), std::string::npos) << uneven.error().message;

  TinyModel missing = tiny_of("llama");
  missing.weights.erase("blk.1.ffn_up.weight");
  const auto model = load(missing);
  ASSERT_TRUE(model) << model.error().message;
  const auto lowered = (*model)->lower({});
  ASSERT_FALSE(lowered);
  EXPECT_NE(lowered.error().message.find("blk.1.ffn_up.weight"), std::string::npos) << lowered.error().message;
}

}  // namespace
}  // namespace weft::families
