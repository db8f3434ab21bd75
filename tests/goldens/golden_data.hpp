// Goldens of a real model as data: prompts, expected logits and tokens, bounds. tests/goldens/README.md says what they
// are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/all.hpp"
#include "models/model.hpp"
#include "models/session.hpp"

namespace weft::goldens {

struct Prompt {
  std::string name;
  std::string text;
  bool parse_special = false;
  std::vector<models::TokenId> ids;
  double max_abs_logit = 0;
  std::size_t sample_stride = 1;
  std::vector<float> sample;            ///< logits of ids 0, stride, 2 stride … after the last prompt token
  std::vector<models::TokenId> greedy;  ///< by arg-max, past the end of generation
  std::vector<double> gap;              ///< between best and second logit
  std::vector<double> logprob;          ///< of each greedy token
};

/// Bounds from the golden file. Those named last_ concern the logits after the prompt.
struct Bounds {
  double f32_last = 0;  ///< largest difference over largest magnitude
  double f32_gap = 0;
  double f32_nll = 0;
  double int8_last_mean = 0, int8_last_mean_average = 0;
  double int8_cosine = 0, int8_cosine_average = 0;
  double int8_logprob = 0, int8_logprob_average = 0;
  double int8_gap = 0, int8_share = 0, int8_nll = 0;
};

struct Golden {
  std::string file;  ///< name of the model file
  Bounds bounds;
  std::vector<Prompt> prompts;
  std::vector<models::TokenId> nll_ids;
  std::vector<double> nll_each;
  double nll_mean = 0;
};

/// Reads tests/goldens/real/<stem>.json; aborts the test on a broken file.
[[nodiscard]] Golden load_golden(const std::string& stem);

/// The model of a golden; a test failure that says how to fetch it, and null, when it isn't there.
[[nodiscard]] std::shared_ptr<const models::Model> load_model(const Golden& golden);

/// A session on `backend` with those behind it in the order of placement. A test failure and null on an error.
[[nodiscard]] std::unique_ptr<models::Session> open_session(std::shared_ptr<const models::Model> model,
                                                            const std::string& backend,
                                                            const models::SessionOptions& options);

/// Logits of the positions that predict the prompt's greedy tokens, [greedy.size(), vocab], the golden tokens being fed
/// whatever the model would have chosen.
[[nodiscard]] std::vector<float> teacher_forced(models::Session& session, const Prompt& prompt);

[[nodiscard]] double log_sum_exp(std::span<const float> logits);
[[nodiscard]] std::size_t arg_max(std::span<const float> logits);

}  // namespace weft::goldens
