// Models that `quantize` and `synthesize` wrote run as their sources do.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/quant/encode/encoder.hpp"
#include "models/quantize/quantize.hpp"
#include "models/synthetic/synthesize.hpp"
#include "tests/goldens/golden_data.hpp"

namespace weft::goldens {
namespace {

/// A file of the test's own, removed at the end.
class OwnFile {
 public:
  explicit OwnFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / ("weft_" + std::to_string(getpid()) + "_" + name)) {}
  ~OwnFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::vector<float> logits_of(const std::shared_ptr<const models::Model>& model,
                             std::span<const models::TokenId> tokens) {
  models::SessionOptions options;
  options.context = static_cast<std::int64_t>(tokens.size()) + 1;
  options.precision = Precision::exact;
  options.k_type = options.v_type = DType::f32;
  options.outputs = 128;
  const auto session = open_session(model, "cpu", options);
  if (session == nullptr) return {};
  const models::SequenceInput input{0, tokens, models::Logits::all};
  const auto logits = session->evaluate({&input, 1});
  if (!logits) {
    ADD_FAILURE() << logits.error().message;
    return {};
  }
  return {logits->begin(), logits->end()};
}

std::shared_ptr<const models::Model> load(const std::filesystem::path& path) {
  auto model = models::Model::load(path);
  if (model) return *model;
  ADD_FAILURE() << model.error().message;
  return nullptr;
}

void quantise(const models::GgufFile& input, const std::filesystem::path& output, DType type) {
  const auto types = models::WeightTypes::make();
  ASSERT_TRUE(types);
  const auto report = models::quantize(input, output, *types, {.type = type, .threads = 0, .progress = {}});
  ASSERT_TRUE(report) << report.error().message;
}

double nll(const std::shared_ptr<const models::Model>& model, std::span<const models::TokenId> ids) {
  const std::vector<float> logits = logits_of(model, ids.first(ids.size() - 1));
  const std::size_t vocab = logits.size() / (ids.size() - 1);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
    const auto row = std::span(logits).subspan(i * vocab, vocab);
    sum += log_sum_exp(row) - row[static_cast<std::size_t>(ids[i + 1])];
  }
  return sum / static_cast<double>(ids.size() - 1);
}

TEST(Requantised, SmolLm2InQ80KeepsItsLikelihood) {
  const Golden golden = load_golden("SmolLM2-135M-Instruct.Q4_1");
  const auto source = load_model(golden);
  ASSERT_NE(source, nullptr);
  const OwnFile file("requantised.gguf");
  quantise(source->file(), file.path(), DType::q8_0);
  const auto model = load(file.path());
  ASSERT_NE(model, nullptr);
  const auto ids = std::span(golden.nll_ids).first(std::min<std::size_t>(golden.nll_ids.size(), 1024));
  const double want = nll(source, ids);
  const double got = nll(model, ids);
  RecordProperty("nll", std::to_string(got));
  RecordProperty("source_nll", std::to_string(want));
  EXPECT_NE(got, want) << "the weights weren't rounded";
  EXPECT_NEAR(got, want, 0.001 * want);
}

class TinyModel : public testing::TestWithParam<DType> {};

// Rounding moves the logits of a random model by no more than a few times the weights' relative error, since its layers
// keep the size of activations: 14 matrices of two layers and the head, whose errors add up as random ones do.
TEST_P(TinyModel, RunsQuantised) {
  const auto types = models::WeightTypes::make();
  ASSERT_TRUE(types);
  const OwnFile source_file("tiny.gguf"), file(std::string("tiny_") + std::string(name_of(GetParam())) + ".gguf");
  const auto made = models::synthesize(*models::find_shape("tiny"), source_file.path(), *types,
                                       {.type = DType::f32, .seed = 9, .threads = 0, .progress = {}});
  ASSERT_TRUE(made) << made.error().message;
  const auto source = load(source_file.path());
  ASSERT_NE(source, nullptr);
  quantise(source->file(), file.path(), GetParam());
  const auto model = load(file.path());
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->file().find_tensor("blk.1.ffn_down.weight")->dtype, GetParam());
  const std::vector<models::TokenId> ids{1, 7, 300, 45, 101, 8, 256, 2, 499};
  const std::vector<float> want = logits_of(source, ids);
  const std::vector<float> got = logits_of(model, ids);
  ASSERT_EQ(got.size(), want.size());
  ASSERT_FALSE(got.empty());
  double error = 0, sum = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(std::isfinite(got[i]));
    error += std::pow(double{got[i]} - want[i], 2);
    sum += std::pow(double{want[i]}, 2);
  }
  const double bits =
      8.0 * static_cast<double>(info(GetParam()).block_bytes) / static_cast<double>(info(GetParam()).block_elements);
  const double weight_error = std::max(2.0 / std::exp2(std::floor(std::min(bits, 8.5))), 1e-6);
  EXPECT_LT(std::sqrt(error / sum), std::sqrt(15.0) * weight_error);
  RecordProperty("relative_error", std::to_string(std::sqrt(error / sum)));
}

INSTANTIATE_TEST_SUITE_P(All, TinyModel, testing::ValuesIn(encodable_types().begin(), encodable_types().end()),
                         [](const auto& made) { return std::string(name_of(made.param)); });

}  // namespace
}  // namespace weft::goldens
