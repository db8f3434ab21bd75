// Whole models against their goldens on each backend: logits after every prompt, greedy tokens, and the text's NLL.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/goldens/golden_data.hpp"

namespace weft::goldens {
namespace {

constexpr auto smollm2 = "SmolLM2-135M-Instruct.Q4_1";
constexpr auto gemma3 = "gemma3-270m-q4_k_m";
constexpr auto qwen2 = "qwen2.5-coder-0.5b-instruct-q4_k_m";

/// How one backend is held against the goldens.
struct BackendRun {
  std::string model;
  std::string backend;
  Precision precision = Precision::exact;
  DType cache = DType::f16;
  std::size_t longest = 100000;  ///< prompts with more tokens are left out, to keep the suite quick
  std::size_t nll_tokens = 1024;
  friend std::ostream& operator<<(std::ostream& out, const BackendRun& run) {
    return out << run.backend << "_" << run.model << "_" << name_of(run.precision);
  }
};

std::string test_name(const testing::TestParamInfo<BackendRun>& info) {
  std::string name =
      info.param.backend + "_" + info.param.model.substr(0, 4) + "_" + std::string(name_of(info.param.precision));
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

models::SessionOptions options_of(const BackendRun& run, std::int64_t outputs) {
  models::SessionOptions options;
  options.context = 1100;
  options.precision = run.precision;
  options.k_type = options.v_type = run.cache;
  options.outputs = outputs;
  return options;
}

/// How far one prompt is from its golden.
struct Distance {
  double max_over_magnitude = 0;
  double mean = 0;
  double cosine = 0;
  double logprob = 0;
  std::size_t equal = 0;
  double widest_missed_gap = 0;  ///< of rows whose arg-max differs
};

Distance distance(const Prompt& prompt, std::span<const float> rows) {
  const std::size_t vocab = rows.size() / prompt.greedy.size();
  Distance d;
  double worst = 0, sum = 0, dot = 0, a2 = 0, b2 = 0;
  for (std::size_t i = 0; i < prompt.sample.size(); ++i) {
    const double got = rows[i * prompt.sample_stride];
    const double want = prompt.sample[i];
    worst = std::max(worst, std::abs(got - want));
    sum += std::abs(got - want);
    dot += got * want;
    a2 += got * got;
    b2 += want * want;
  }
  d.max_over_magnitude = worst / prompt.max_abs_logit;
  d.mean = sum / static_cast<double>(prompt.sample.size());
  d.cosine = dot / std::sqrt(a2 * b2);
  for (std::size_t i = 0; i < prompt.greedy.size(); ++i) {
    const auto row = rows.subspan(i * vocab, vocab);
    const auto want = static_cast<std::size_t>(prompt.greedy[i]);
    d.logprob += std::abs(row[want] - log_sum_exp(row) - prompt.logprob[i]) / static_cast<double>(prompt.greedy.size());
    if (arg_max(row) == want) {
      ++d.equal;
    } else {
      d.widest_missed_gap = std::max(d.widest_missed_gap, prompt.gap[i]);
    }
  }
  return d;
}

class ModelGolden : public testing::TestWithParam<BackendRun> {};

void expect_exact(const BackendRun& run, const Bounds& bounds, const Prompt& prompt, const Distance& d) {
  // An f16 cache rounds keys and values; the goldens' README measures what that may cost.
  constexpr double f16_cache_bound = 6e-3;
  EXPECT_LE(d.max_over_magnitude, run.cache == DType::f32 ? bounds.f32_last : f16_cache_bound) << prompt.name;
  EXPECT_LT(d.widest_missed_gap, bounds.f32_gap) << prompt.name;
}

void expect_int8(const Bounds& bounds, const Prompt& prompt, const Distance& d) {
  EXPECT_LE(d.mean, bounds.int8_last_mean) << prompt.name;
  EXPECT_GE(d.cosine, bounds.int8_cosine) << prompt.name;
  EXPECT_LE(d.logprob, bounds.int8_logprob) << prompt.name;
  EXPECT_LT(d.widest_missed_gap, bounds.int8_gap) << prompt.name;
}

TEST_P(ModelGolden, PromptsMatch) {
  const BackendRun& run = GetParam();
  const Golden golden = load_golden(run.model);
  const auto model = load_model(golden);
  ASSERT_NE(model, nullptr);
  const auto session = open_session(model, run.backend, options_of(run, 48));
  ASSERT_NE(session, nullptr);
  double mean = 0, cosine = 0, logprob = 0, equal = 0, prompts = 0, rows = 0;
  for (const Prompt& prompt : golden.prompts) {
    if (prompt.ids.size() > run.longest) continue;
    ASSERT_TRUE(session->truncate(0, 0));
    const std::vector<float> logits = teacher_forced(*session, prompt);
    ASSERT_EQ(logits.size(), prompt.greedy.size() * static_cast<std::size_t>(model->spec().vocab));
    const Distance d = distance(prompt, logits);
    run.precision == Precision::exact ? expect_exact(run, golden.bounds, prompt, d)
                                      : expect_int8(golden.bounds, prompt, d);
    mean += d.mean;
    cosine += d.cosine;
    logprob += d.logprob;
    equal += static_cast<double>(d.equal);
    prompts += 1;
    rows += static_cast<double>(prompt.greedy.size());
  }
  ASSERT_GE(prompts, 4);
  RecordProperty("mean_abs", std::to_string(mean / prompts));
  RecordProperty("equal_argmax", std::to_string(equal / rows));
  EXPECT_LE(mean / prompts, golden.bounds.int8_last_mean_average);
  EXPECT_GE(cosine / prompts, golden.bounds.int8_cosine_average);
  EXPECT_LE(logprob / prompts, golden.bounds.int8_logprob_average);
  EXPECT_GE(equal / rows, golden.bounds.int8_share);
}

TEST_P(ModelGolden, NegativeLogLikelihoodMatches) {
  const BackendRun& run = GetParam();
  const Golden golden = load_golden(run.model);
  const auto model = load_model(golden);
  ASSERT_NE(model, nullptr);
  const auto session = open_session(model, run.backend, options_of(run, 128));
  ASSERT_NE(session, nullptr);
  const std::size_t count = std::min(run.nll_tokens, golden.nll_ids.size()) - 1;
  const models::SequenceInput input{0, std::span(golden.nll_ids).first(count), models::Logits::all};
  const auto logits = session->evaluate({&input, 1});
  ASSERT_TRUE(logits) << logits.error().message;
  const std::size_t vocab = logits->size() / count;
  double got = 0, want = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = logits->subspan(i * vocab, vocab);
    got += log_sum_exp(row) - row[static_cast<std::size_t>(golden.nll_ids[i + 1])];
    want += golden.nll_each[i];
  }
  got /= static_cast<double>(count);
  want /= static_cast<double>(count);
  RecordProperty("nll", std::to_string(got));
  EXPECT_NEAR(got, want, 0.005 * want);
  EXPECT_NEAR(got, want, golden.bounds.int8_nll);
}

std::vector<BackendRun> runs() {
  std::vector<BackendRun> list;
  for (const char* model : {smollm2, gemma3, qwen2}) {
    list.push_back({model, "reference", Precision::exact, DType::f32, 100, 32});
    list.push_back({model, "cpu", Precision::fast});
    list.push_back({model, "cpu", Precision::exact, DType::f32});
    list.push_back({model, "opencl", Precision::exact, DType::f16, 100000, 96});
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, ModelGolden, testing::ValuesIn(runs()), test_name);

/// The long prompt cut into chunks of several sizes: (backend, model, chunk).
class Chunks : public testing::TestWithParam<std::tuple<std::string, std::string, std::int64_t>> {};

TEST_P(Chunks, SameGreedyTokens) {
  const auto& [backend, stem, chunk] = GetParam();
  const Golden golden = load_golden(stem);
  const auto model = load_model(golden);
  ASSERT_NE(model, nullptr);
  models::SessionOptions options;
  options.context = 1100;
  options.chunk = chunk;
  options.outputs = std::min<std::int64_t>(chunk, 48);
  const auto session = open_session(model, backend, options);
  ASSERT_NE(session, nullptr);
  const auto prompt = std::ranges::find(golden.prompts, "long", &Prompt::name);
  ASSERT_NE(prompt, golden.prompts.end());
  const Distance d = distance(*prompt, teacher_forced(*session, *prompt));
  EXPECT_LT(d.widest_missed_gap, golden.bounds.int8_gap);
  EXPECT_LE(d.logprob, golden.bounds.int8_logprob);
}

INSTANTIATE_TEST_SUITE_P(All, Chunks,
                         testing::Combine(testing::Values("cpu", "opencl"), testing::Values(smollm2, gemma3),
                                          testing::Values(1, 7, 64, 512, 1024)),
                         [](const auto& made) {
                           return std::get<0>(made.param) + "_" + std::get<1>(made.param).substr(0, 4) + "_" +
                                  std::to_string(std::get<2>(made.param));
                         });

class Ragged : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Ragged, ThreeSequencesGiveTheirSingleRunResults) {
  const auto& [backend, stem] = GetParam();
  const Golden golden = load_golden(stem);
  const auto model = load_model(golden);
  ASSERT_NE(model, nullptr);
  models::SessionOptions options;
  options.context = 256;
  options.sequences = 3;
  options.precision = Precision::exact;
  const auto session = open_session(model, backend, options);
  ASSERT_NE(session, nullptr);
  std::vector<const Prompt*> prompts;
  for (const Prompt& p : golden.prompts) {
    if (p.ids.size() < 100 && p.ids.size() > 1 && prompts.size() < 3) prompts.push_back(&p);
  }
  ASSERT_EQ(prompts.size(), 3U);
  const auto vocab = static_cast<std::size_t>(model->spec().vocab);
  std::array<models::SequenceInput, 3> inputs;
  // First whole prompts of unequal length, then golden tokens one at a time.
  for (std::size_t step = 0; step < 8; ++step) {
    for (std::size_t s = 0; s < 3; ++s) {
      const std::span tokens =
          step == 0 ? std::span(prompts[s]->ids) : std::span(prompts[s]->greedy).subspan(step - 1, 1);
      inputs[s] = {static_cast<std::int64_t>(s), tokens, models::Logits::last};
    }
    const auto logits = session->evaluate(inputs);
    ASSERT_TRUE(logits) << logits.error().message;
    for (std::size_t s = 0; s < 3; ++s) {
      const auto row = logits->subspan(s * vocab, vocab);
      if (prompts[s]->gap[step] < golden.bounds.f32_gap) continue;
      EXPECT_EQ(arg_max(row), static_cast<std::size_t>(prompts[s]->greedy[step]))
          << "sequence " << s << " step " << step;
      const double logprob = row[static_cast<std::size_t>(prompts[s]->greedy[step])] - log_sum_exp(row);
      EXPECT_NEAR(logprob, prompts[s]->logprob[step], 0.03) << "sequence " << s << " step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Ragged,
                         testing::Combine(testing::Values("cpu", "opencl"), testing::Values(smollm2, gemma3)),
                         [](const auto& made) {
                           return std::get<0>(made.param) + "_" + std::get<1>(made.param).substr(0, 4);
                         });

TEST(TwoModels, LiveInOneProcess) {
  const Golden first = load_golden(smollm2);
  const Golden second = load_golden(gemma3);
  const auto a = load_model(first);
  const auto b = load_model(second);
  ASSERT_TRUE(a && b);
  models::SessionOptions options;
  options.context = 256;
  options.outputs = 48;
  const auto session_a = open_session(a, "cpu", options);
  const auto session_b = open_session(b, "cpu", options);
  ASSERT_TRUE(session_a && session_b);
  // Interleaved, so that any shared mutable state would show.
  const std::vector<float> alone = teacher_forced(*session_a, first.prompts[0]);
  ASSERT_TRUE(session_a->truncate(0, 0));
  const models::SequenceInput half{0, std::span(first.prompts[0].ids).first(8), models::Logits::none};
  ASSERT_TRUE(session_a->evaluate({&half, 1}));
  const Distance other = distance(second.prompts[0], teacher_forced(*session_b, second.prompts[0]));
  EXPECT_LT(other.widest_missed_gap, second.bounds.int8_gap);
  ASSERT_TRUE(session_a->truncate(0, 0));
  EXPECT_EQ(alone, teacher_forced(*session_a, first.prompts[0]));
}

}  // namespace
}  // namespace weft::goldens
