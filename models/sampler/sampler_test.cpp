// The sampler chain: each filter's rule, draws that are the same everywhere, bad logits, big vocabularies.
#include "models/sampler/sampler.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "models/sampler/philox.hpp"

namespace weft::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Every filter off.
SamplerParams plain() {
  return {.temperature = 1.0F,
          .top_k = 0,
          .top_p = 1.0F,
          .min_p = 0.0F,
          .repeat_penalty = 1.0F,
          .repeat_last_n = 64,
          .seed = 1};
}

Sampler make(const SamplerParams& params) {
  auto sampler = Sampler::make(params);
  EXPECT_TRUE(sampler) << sampler.error().message;
  return *sampler;
}

/// How often each id is drawn.
std::map<TokenId, int> counts(const SamplerParams& params, const std::vector<float>& logits, int draws = 2000) {
  Sampler sampler = make(params);
  std::map<TokenId, int> out;
  for (int i = 0; i < draws; ++i) ++out[sampler.sample(logits).value()];
  return out;
}

std::set<TokenId> drawn(const SamplerParams& params, const std::vector<float>& logits) {
  std::set<TokenId> ids;
  for (const auto& [id, count] : counts(params, logits)) ids.insert(id);
  return ids;
}

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::vector<float> random_logits(std::size_t size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> logits(size);
  for (float& logit : logits) logit = static_cast<float>(random() % 100000) / 5000.0F - 10.0F;
  return logits;
}

/// Processor time, so that a busy machine is no failure.
double cpu_seconds_since(std::clock_t start) { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; }

TEST(Philox, GivesThePublishedNumbers) {
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}), ElementsAre(0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U));
  const std::uint32_t ones = 0xFFFFFFFF;
  EXPECT_THAT(philox({ones, ones, ones, ones}, {ones, ones}),
              ElementsAre(0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU));
  EXPECT_THAT(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U));
}

TEST(Philox, UniformIsInTheUnitIntervalAndEven) {
  double sum = 0.0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double u = uniform(42, i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.01);
}

TEST(Sampler, GreedyTakesTheLargestTheLowestIdOfEquals) {
  SamplerParams params = plain();
  for (const float temperature : {0.0F, -1.0F}) {
    params.temperature = temperature;
    Sampler sampler = make(params);
    EXPECT_EQ(sampler.sample(std::vector<float>{1, 3, 2, 3}).value(), 1);
    EXPECT_EQ(sampler.sample(std::vector<float>{-inf, -5, -inf}).value(), 1);
    EXPECT_EQ(sampler.sample(std::vector<float>{7}).value(), 0);
    EXPECT_EQ(sampler.sample(std::vector<float>{-1, -0.0F, 0.0F}).value(), 1);
    std::vector<float> wide(1000, -1.0F);
    wide[300] = -0.0F;
    wide[700] = 0.0F;
    EXPECT_EQ(sampler.sample(wide).value(), 300);
  }
}

TEST(Sampler, GreedyEqualsAPlainSearchAtAllSizes) {
  SamplerParams params = plain();
  params.temperature = 0.0F;
  Sampler sampler = make(params);
  for (const std::size_t size : {1, 2, 255, 256, 257, 511, 513, 1021, 49152, 151936}) {
    const auto logits = random_logits(size, static_cast<unsigned>(size));
    const auto wanted = std::max_element(logits.begin(), logits.end()) - logits.begin();
    EXPECT_EQ(sampler.sample(logits).value(), wanted) << size;
  }
}

TEST(Sampler, DrawsFollowTheProbabilities) {
  const auto found = counts(plain(), logits_of({0.5, 0.3, 0.2}), 20000);
  EXPECT_NEAR(found.at(0) / 20000.0, 0.5, 0.02);
  EXPECT_NEAR(found.at(1) / 20000.0, 0.3, 0.02);
  EXPECT_NEAR(found.at(2) / 20000.0, 0.2, 0.02);
}

TEST(Sampler, TemperatureSharpensAndFlattens) {
  SamplerParams params = plain();
  params.temperature = 0.5F;  // squares the odds: 0.8 : 0.2 becomes 16 : 1
  EXPECT_NEAR(counts(params, logits_of({0.8, 0.2}), 20000).at(0) / 20000.0, 16.0 / 17.0, 0.01);
  params.temperature = 1e-30F;
  EXPECT_EQ(drawn(params, logits_of({0.3, 0.4, 0.3})), std::set<TokenId>{1});
  params.temperature = 1e30F;
  EXPECT_EQ(drawn(params, {0, 10, 20}).size(), 3U);
}

TEST(Sampler, TopKKeepsTheKLargest) {
  SamplerParams params = plain();
  const std::vector<float> logits = {1, 1.2F, 1.1F, 1.2F, 0.9F};
  params.top_k = 1;
  EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1}));
  params.top_k = 2;
  EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1, 3}));
  params.top_k = 3;
  EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1, 2, 3}));
  params.top_k = 1000000;
  EXPECT_EQ(drawn(params, logits).size(), 5U);
}

TEST(Sampler, TopKOfManyEqualsASort) {
  for (const std::size_t size : {1, 255, 256, 257, 5000, 65537}) {
    const auto logits = random_logits(size, 9);
    std::vector<Candidate> sorted;
    for (std::size_t id = 0; id < size; ++id) sorted.push_back({logits[id], static_cast<TokenId>(id)});
    std::sort(sorted.begin(), sorted.end(), ranks_before);
    for (const std::size_t k : {1, 2, 40, 257, 6000}) {
      TopCandidates top;
      ASSERT_TRUE(top.scan(logits));
      std::vector<Candidate> found;
      top.select(k, found);
      std::sort(found.begin(), found.end(), ranks_before);
      ASSERT_EQ(found.size(), std::min(k, size));
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_EQ(found[i].id, sorted[i].id) << size << " " << k << " " << i;
    }
  }
}

TEST(Sampler, TopPKeepsTheShortestPrefixThatReachesP) {
  SamplerParams params = plain();
  const auto logits = logits_of({0.1, 0.4, 0.2, 0.3});
  for (const std::int32_t top_k : {0, 4}) {
    params.top_k = top_k;
    params.top_p = 0.35F;
    EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1}));
    params.top_p = 0.65F;
    EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1, 3}));
    params.top_p = 0.75F;
    EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1, 2, 3}));
    params.top_p = 1e-30F;
    EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{1}));
  }
}

TEST(Sampler, TopPComesAfterTopK) {
  SamplerParams params = plain();
  params.top_k = 2;  // 0.4 : 0.3 become 0.571 : 0.429
  params.top_p = 0.5F;
  EXPECT_EQ(drawn(params, logits_of({0.4, 0.3, 0.2, 0.1})), (std::set<TokenId>{0}));
}

TEST(Sampler, MinPIsRelativeToTheMostLikely) {
  SamplerParams params = plain();
  const auto logits = logits_of({0.4, 0.3, 0.19, 0.11});
  params.min_p = 0.5F;
  EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{0, 1}));
  params.min_p = 0.4F;
  EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{0, 1, 2}));
  params.min_p = 1.0F;
  EXPECT_EQ(drawn(params, logits), (std::set<TokenId>{0}));
}

TEST(Sampler, FiltersSeeProbabilitiesBeforeTemperature) {
  SamplerParams params = plain();
  params.min_p = 0.5F;
  params.temperature = 100.0F;
  EXPECT_EQ(drawn(params, logits_of({0.6, 0.25, 0.15})), (std::set<TokenId>{0}));
}

TEST(Sampler, PenaltyHitsEachRecentTokenOnceAndSlides) {
  SamplerParams params = plain();
  params.temperature = 0.0F;
  params.repeat_penalty = 2.0F;
  params.repeat_last_n = 2;
  Sampler sampler = make(params);
  const std::vector<float> logits = {3.0F, 2.0F, -1.0F, 1.4F};
  EXPECT_EQ(sampler.sample(logits).value(), 0);
  sampler.accept(0);
  EXPECT_EQ(sampler.sample(logits).value(), 1);  // 1.5 < 2
  sampler.accept(0);
  EXPECT_EQ(sampler.sample(std::vector<float>{3.0F, 1.45F, 0, 0}).value(), 0);  // once, not twice: 1.5 > 1.45
  sampler.accept(1);
  EXPECT_EQ(sampler.sample(logits).value(), 0);  // 1.5, 1, -1, 1.4
  sampler.accept(2);
  EXPECT_EQ(sampler.sample(logits).value(), 0);                                          // 0 has left the window
  EXPECT_EQ(sampler.sample(std::vector<float>{-1.5F, -1.0F, -1.0F, -3.0F}).value(), 0);  // -1.5, -2, -2, -3
}

TEST(Sampler, PenaltyOfTokensOutsideTheVocabularyDoesNothing) {
  SamplerParams params = plain();
  params.repeat_penalty = 1.5F;
  Sampler sampler = make(params);
  for (const TokenId id : {-1, 3, 1000000}) sampler.accept(id);
  EXPECT_TRUE(sampler.sample(std::vector<float>{1, 2, 3}));
}

TEST(Sampler, SameSeedSameTokensOtherSeedOthers) {
  const auto logits = random_logits(1000);
  SamplerParams params = plain();
  const auto run = [&](std::uint64_t seed) {
    params.seed = seed;
    Sampler sampler = make(params);
    std::vector<TokenId> ids;
    for (int i = 0; i < 50; ++i) ids.push_back(sampler.sample(logits).value());
    return ids;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_NE(run(1), run(std::uint64_t{1} << 40));
}

TEST(Sampler, DrawsAreTheSameOnEveryMachine) {
  SamplerParams params;
  params.seed = 20261201;
  Sampler sampler = make(params);
  std::vector<TokenId> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(sampler.sample(logits_of({0.1, 0.2, 0.3, 0.25, 0.15})).value());
  EXPECT_THAT(ids, ElementsAre(3, 1, 2, 2, 1, 0, 2, 2));
}

TEST(Sampler, NonFiniteLogitsAreErrorsAndChangeNothing) {
  for (const float temperature : {0.0F, 0.8F}) {
    SamplerParams params;
    params.temperature = temperature;
    Sampler sampler = make(params);
    Sampler twin = make(params);
    for (const std::vector<float>& logits :
         {std::vector<float>(500, nan), {1, nan, 3, 2}, {1, -nan, 3, 2}, {1, inf, 3, 2}}) {
      const auto id = sampler.sample(logits);
      ASSERT_FALSE(id);
      EXPECT_EQ(id.error().code, ErrorCode::non_finite);
    }
    EXPECT_THAT(sampler.sample(std::vector<float>{1, nan, 3, 2}).error().message, HasSubstr("token 1 of 4 is nan"));
    EXPECT_THAT(sampler.sample(std::vector<float>{1, 2, inf}).error().message, HasSubstr("token 2 of 3 is inf"));
    const auto good = random_logits(300);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(sampler.sample(good).value(), twin.sample(good).value());
  }
}

TEST(Sampler, EverythingBannedIsItsOwnError) {
  for (const float temperature : {0.0F, 0.8F}) {
    SamplerParams params;
    params.temperature = temperature;
    Sampler sampler = make(params);
    for (const std::size_t size : {0, 1, 1000}) {
      const auto id = sampler.sample(std::vector<float>(size, -inf));
      ASSERT_FALSE(id);
      EXPECT_EQ(id.error().code, ErrorCode::invalid_argument);
      EXPECT_THAT(id.error().message, HasSubstr("no candidate left"));
    }
  }
}

TEST(Sampler, BannedTokensAreNeverDrawn) {
  EXPECT_EQ(drawn(plain(), {2, 1, 0, -inf}), (std::set<TokenId>{0, 1, 2}));
  SamplerParams params = plain();
  params.top_k = 3;
  EXPECT_EQ(drawn(params, {-inf, 1, -inf, -inf}), (std::set<TokenId>{1}));
}

TEST(Sampler, BadParametersAreErrorsThatNameThem) {
  const auto message = [](auto change) {
    SamplerParams params;
    change(params);
    const auto sampler = Sampler::make(params);
    return sampler ? std::string("no error") : sampler.error().message;
  };
  EXPECT_THAT(message([](auto& p) { p.temperature = nan; }), HasSubstr("temperature is nan"));
  EXPECT_THAT(message([](auto& p) { p.top_k = -1; }), HasSubstr("top_k is -1"));
  EXPECT_THAT(message([](auto& p) { p.top_p = 0.0F; }), HasSubstr("top_p is 0"));
  EXPECT_THAT(message([](auto& p) { p.top_p = nan; }), HasSubstr("top_p"));
  EXPECT_THAT(message([](auto& p) { p.min_p = 1.5F; }), HasSubstr("min_p is 1.5"));
  EXPECT_THAT(message([](auto& p) { p.repeat_penalty = 0.0F; }), HasSubstr("repeat_penalty is 0"));
  EXPECT_THAT(message([](auto& p) { p.repeat_last_n = -2; }), HasSubstr("repeat_last_n is -2"));
}

TEST(Sampler, ABigVocabularyIsQuick) {
  const auto logits = random_logits(262144);
  for (const float temperature : {0.0F, 0.8F}) {
    SamplerParams params;
    params.temperature = temperature;
    Sampler sampler = make(params);
    double best = 1.0;
    for (int round = 0; round < 50; ++round) {
      const std::clock_t start = std::clock();
      EXPECT_TRUE(sampler.sample(logits));
      best = std::min(best, cpu_seconds_since(start));
    }
    RecordProperty(fmt::format("microseconds_at_{}", temperature), static_cast<int>(best * 1e6));
    EXPECT_LT(best, 0.003);  // 0.0003 s in a release build; sanitizers and busy machines are slower
  }
}

}  // namespace
}  // namespace weft::models
