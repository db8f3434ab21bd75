// Synthetic models: valid, reproducible, and with weights of the size that was meant.
#include "models/synthetic/synthesize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/quant/block_format.hpp"
#include "core/quant/encode/encoder.hpp"
#include "models/families/family.hpp"
#include "models/io/gguf_test_files.hpp"
#include "models/model.hpp"

namespace weft::models {
namespace {

class Synthesis : public testing::Test {
 protected:
  [[nodiscard]] static Result<std::uint64_t> write(const std::filesystem::path& path, SynthesisOptions options) {
    const auto types = WeightTypes::make();
    if (!types) return error_of(types);
    return synthesize(*find_shape("tiny"), path, *types, options);
  }
  test::TemporaryFolder folder_;
};

TEST_F(Synthesis, EveryTypeLoadsAndLowers) {
  for (const DType type : weight_types()) {
    const auto bytes = write(folder_ / "m.gguf", {.type = type, .seed = 3, .threads = 2, .progress = {}});
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto model = Model::load(folder_ / "m.gguf");
    ASSERT_TRUE(model) << name_of(type) << ": " << model.error().message;
    EXPECT_EQ((*model)->file().find_tensor("blk.0.ffn_up.weight")->dtype, type);
    EXPECT_EQ(std::ssize((*model)->tokenizer().vocabulary().tokens), (*model)->spec().vocab);
    EXPECT_TRUE((*model)->lower({})) << name_of(type);
  }
}

// Random codes spread evenly, so a deviation is met within a few tens of percent. The mean is near 0: codes of -8 … 7
// have a mean of -1/2 with a deviation of 4.6, and that is the farthest.
TEST_F(Synthesis, WeightsKeepTheSizeOfActivations) {
  for (const DType type : encodable_types()) {
    ASSERT_TRUE(write(folder_ / "m.gguf", {.type = type, .seed = 4, .threads = 2, .progress = {}}));
    const auto file = GgufFile::open(folder_ / "m.gguf");
    ASSERT_TRUE(file);
    const GgufTensor* tensor = (*file)->find_tensor("blk.0.ffn_up.weight");
    std::vector<float> values(512 * 256);
    decode_row(tensor->dtype, (*file)->data(*tensor).data(), values);
    double sum = 0, squares = 0;
    for (const float x : values) {
      sum += x;
      squares += double{x} * x;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
    EXPECT_NEAR(deviation * 16, 1.0, 0.3) << name_of(type);  // 1 / sqrt(256)
    EXPECT_LT(std::abs(sum / static_cast<double>(values.size())), 0.13 * deviation) << name_of(type);
  }
}

TEST_F(Synthesis, SeedAndTypeDecideTheBytesAndThreadsDoNot) {
  for (const DType type : {DType::q4_k, DType::f16}) {
    ASSERT_TRUE(write(folder_ / "one.gguf", {.type = type, .seed = 3, .threads = 1, .progress = {}}));
    ASSERT_TRUE(write(folder_ / "three.gguf", {.type = type, .seed = 3, .threads = 3, .progress = {}}));
    ASSERT_TRUE(write(folder_ / "other.gguf", {.type = type, .seed = 4, .threads = 3, .progress = {}}));
    const test::Bytes one = test::read_bytes(folder_ / "one.gguf");
    EXPECT_EQ(one, test::read_bytes(folder_ / "three.gguf"));
    EXPECT_NE(one, test::read_bytes(folder_ / "other.gguf"));
  }
}

TEST_F(Synthesis, NoTwoTensorsOrPiecesAreAlike) {
  ASSERT_TRUE(write(folder_ / "m.gguf", {.type = DType::f32, .seed = 3, .threads = 2, .progress = {}}));
  const auto file = GgufFile::open(folder_ / "m.gguf");
  ASSERT_TRUE(file);
  const auto up = (*file)->data(*(*file)->find_tensor("blk.0.ffn_up.weight"));
  const auto gate = (*file)->data(*(*file)->find_tensor("blk.0.ffn_gate.weight"));
  ASSERT_EQ(up.size(), std::size_t{512 * 1024});  // two pieces
  EXPECT_FALSE(std::ranges::equal(up, gate));
  EXPECT_FALSE(std::ranges::equal(up.first(up.size() / 2), up.subspan(up.size() / 2)));
}

TEST(Shapes, AreOfFamiliesThatRun) {
  for (const ModelShape& shape : model_shapes()) {
    EXPECT_TRUE(std::ranges::any_of(families(), [&](const Family& f) { return f.architecture == shape.architecture; }))
        << shape.name;
    EXPECT_EQ(shape.heads % shape.kv_heads, 0) << shape.name;
    EXPECT_EQ(find_shape(shape.name), &shape) << "a name twice";
    EXPECT_GT(shape.vocab, 257) << shape.name;
    EXPECT_EQ(shape.window > 0, shape.architecture == "gemma3") << shape.name;
  }
  EXPECT_EQ(find_shape("llama-9000b"), nullptr);
}

}  // namespace
}  // namespace weft::models
