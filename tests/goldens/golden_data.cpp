// Reading of goldens, and running a model along them.
#include "tests/goldens/golden_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace weft::goldens {
namespace {

Prompt prompt_from(const nlohmann::json& json) {
  Prompt prompt;
  prompt.name = json.at("name");
  prompt.text = json.at("text");
  prompt.parse_special = json.at("parse_special");
  prompt.ids = json.at("ids").get<std::vector<models::TokenId>>();
  const auto& last = json.at("last");
  prompt.max_abs_logit = last.at("max_abs_logit");
  prompt.sample_stride = last.at("sample_stride");
  prompt.sample = last.at("sample").get<std::vector<float>>();
  const auto& greedy = json.at("greedy");
  prompt.greedy = greedy.at("ids").get<std::vector<models::TokenId>>();
  prompt.gap = greedy.at("gap").get<std::vector<double>>();
  prompt.logprob = greedy.at("logprob").get<std::vector<double>>();
  return prompt;
}

Bounds bounds_from(const nlohmann::json& json) {
  const auto& f32 = json.at("f32");
  const auto& int8 = json.at("int8");
  return {.f32_last = f32.at("last_max_abs_over_max_abs_logit"),
          .f32_gap = f32.at("greedy_gap"),
          .f32_nll = f32.at("nll"),
          .int8_last_mean = int8.at("last_mean_abs"),
          .int8_last_mean_average = int8.at("last_mean_abs_average"),
          .int8_cosine = int8.at("last_cosine"),
          .int8_cosine_average = int8.at("last_cosine_average"),
          .int8_logprob = int8.at("logprob_mean_abs"),
          .int8_logprob_average = int8.at("logprob_mean_abs_average"),
          .int8_gap = int8.at("greedy_gap"),
          .int8_share = int8.at("greedy_share"),
          .int8_nll = int8.at("nll")};
}

}  // namespace

Golden load_golden(const std::string& stem) {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/tests/goldens/real/" + stem + ".json");
  const nlohmann::json json = nlohmann::json::parse(in);
  Golden golden;
  golden.file = json.at("model").at("file");
  golden.bounds = bounds_from(json.at("tolerance"));
  for (const auto& prompt : json.at("prompts")) golden.prompts.push_back(prompt_from(prompt));
  golden.nll_ids = json.at("nll").at(0).at("ids").get<std::vector<models::TokenId>>();
  golden.nll_each = json.at("nll").at(0).at("each").get<std::vector<double>>();
  golden.nll_mean = json.at("nll").at(0).at("mean");
  return golden;
}

std::shared_ptr<const models::Model> load_model(const Golden& golden) {
  const std::filesystem::path path = std::filesystem::path(WEFT_MODEL_DIR) / golden.file;
  if (!std::filesystem::exists(path)) {
    ADD_FAILURE() << path << " is missing: run scripts/fetch-model --all";
    return nullptr;
  }
  auto model = models::Model::load(path);
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return nullptr;
  }
  return *model;
}

std::unique_ptr<models::Session> open_session(std::shared_ptr<const models::Model> model, const std::string& backend,
                                              const models::SessionOptions& options) {
  const auto names = backend_names();
  std::vector<std::shared_ptr<Backend>> backends;
  for (auto at = std::ranges::find(names, backend); at != names.end(); ++at) {
    auto made = make_backend(*at, {});
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return nullptr;
    }
    backends.push_back(std::move(*made));
  }
  auto session = models::Session::make(std::move(model), std::move(backends), options);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return nullptr;
  }
  return std::move(*session);
}

std::vector<float> teacher_forced(models::Session& session, const Prompt& prompt) {
  std::vector<float> rows;
  const auto feed = [&](std::span<const models::TokenId> tokens, models::Logits wanted) {
    const models::SequenceInput input{0, tokens, wanted};
    const auto logits = session.evaluate({&input, 1});
    ASSERT_TRUE(logits) << logits.error().message;
    rows.insert(rows.end(), logits->begin(), logits->end());
  };
  feed(prompt.ids, models::Logits::last);
  feed(std::span(prompt.greedy).first(prompt.greedy.size() - 1), models::Logits::all);
  return rows;
}

double log_sum_exp(std::span<const float> logits) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - most);
  return most + std::log(sum);
}

std::size_t arg_max(std::span<const float> logits) {
  return static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
}

}  // namespace weft::goldens
