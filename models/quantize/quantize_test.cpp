// Files written again: values, metadata, errors reported, refusals, and the same bytes for any number of threads.
#include "models/quantize/quantize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/quant/block_format.hpp"
#include "core/quant/encode/encoder.hpp"
#include "core/quant/encode_row.hpp"
#include "core/quant/random_blocks.hpp"
#include "models/io/gguf_test_files.hpp"
#include "models/io/gguf_writer.hpp"

namespace weft::models {
namespace {

using testing::HasSubstr;

constexpr std::int64_t rows = 301;  // several pieces, the last one short
constexpr std::int64_t row = 512;

std::vector<float> some_values() {
  SeededRandom random(5);
  std::vector<float> values(rows * row);
  for (float& x : values) x = static_cast<float>(0.05 * random.normal());
  return values;
}

std::vector<std::byte> encoded(DType type, std::span<const float> values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(row_bytes(type, std::ssize(values))));
  encode_row(type, values, bytes.data());
  return bytes;
}

class Quantising : public testing::Test {
 protected:
  Quantising() {
    GgufWriter writer;
    writer.set("general.architecture", std::string("llama"));
    writer.set("llama.block_count", std::uint16_t{1});  // a width of its own
    writer.set("general.file_type", std::uint32_t{1});
    writer.set("some.flags", GgufStoredArray(std::vector<bool>{true, false}));
    const std::vector<float> norm(512, 1.5F);
    const std::vector<float> odd(3 * 48, 0.25F);
    EXPECT_TRUE(writer.add_tensor({"token_embd.weight", DType::f16, {rows, row}}, encoded(DType::f16, values_)));
    EXPECT_TRUE(writer.add_tensor({"output.weight", DType::f16, {rows, row}}, encoded(DType::f16, values_)));
    EXPECT_TRUE(writer.add_tensor({"blk.0.attn_norm.weight", DType::f16, {512}}, encoded(DType::f16, norm)));
    EXPECT_TRUE(writer.add_tensor({"blk.0.odd.weight", DType::f16, {3, 48}}, encoded(DType::f16, odd)));
    EXPECT_TRUE(writer.add_tensor({"blk.0.table", std::uint32_t{27}, {4}}, test::counted_bytes(32)));  // I64
    EXPECT_TRUE(writer.add_tensor({"blk.0.empty.weight", DType::f16, {0, 512}}, std::vector<std::byte>()));
    EXPECT_TRUE(writer.write(input()));
  }

  [[nodiscard]] std::filesystem::path input() const { return folder_ / "in.gguf"; }
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "out.gguf"; }

  static Result<QuantizeReport> run(const std::filesystem::path& from, const std::filesystem::path& to,
                                    QuantizeOptions options) {
    const auto file = GgufFile::open(from);
    if (!file) return error_of(file);
    const auto types = WeightTypes::make();
    if (!types) return error_of(types);
    return quantize(**file, to, *types, options);
  }
  [[nodiscard]] std::vector<float> decoded(std::string_view name) const {
    const auto file = GgufFile::open(output());
    if (!file) return {};
    const GgufTensor* tensor = (*file)->find_tensor(name);
    if (tensor == nullptr) return {};
    std::int64_t count = 1;
    for (const std::int64_t d : tensor->dims) count *= d;
    std::vector<float> out(static_cast<std::size_t>(count));
    decode_row(tensor->dtype, (*file)->data(*tensor).data(), out);
    return out;
  }
  void expect_only_input() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    EXPECT_THAT(names, testing::ElementsAre("in.gguf"));
  }

  std::vector<float> values_ = some_values();
  test::TemporaryFolder folder_;
};

TEST_F(Quantising, EveryTypeIsWrittenAndItsErrorReported) {
  std::vector<std::byte> f16 = encoded(DType::f16, values_);
  std::vector<float> source(values_.size());
  decode_row(DType::f16, f16.data(), source);
  for (const DType type : encodable_types()) {
    const auto report = run(input(), output(), {.type = type, .threads = 2, .progress = {}});
    ASSERT_TRUE(report) << report.error().message;
    const TensorReport& table = report->tensors.at(0);
    EXPECT_EQ(table.to, name_of(type));
    EXPECT_EQ(table.elements, values_.size());
    EXPECT_EQ(table.bytes_after, static_cast<std::uint64_t>(row_bytes(type, rows * row)));
    const std::vector<float> got = decoded("token_embd.weight");
    ASSERT_EQ(got.size(), source.size());
    double squared = 0, sum = 0, largest = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double off = double{got[i]} - source[i];
      squared += off * off;
      sum += double{source[i]} * source[i];
      largest = std::max(largest, std::abs(off));
    }
    // Sums in another order.
    EXPECT_NEAR(table.relative_error, std::sqrt(squared / sum), 1e-9) << name_of(type);
    EXPECT_EQ(table.largest_error, largest) << name_of(type);
    // Normal values are within 6 deviations: at most half a step of 12 deviations over the codes of the format.
    const double bits =
        8.0 * static_cast<double>(info(type).block_bytes) / static_cast<double>(info(type).block_elements);
    EXPECT_LT(table.relative_error, 12.0 / std::exp2(std::floor(std::min(bits, 9.0)))) << name_of(type);
  }
}

TEST_F(Quantising, MetadataStaysButForTheLabels) {
  ASSERT_TRUE(run(input(), output(), {.type = DType::q4_k, .threads = 1, .progress = {}}));
  const auto file = GgufFile::open(output());
  ASSERT_TRUE(file);
  std::vector<std::string> keys;
  for (const auto& [key, value] : (*file)->metadata()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("general.architecture", "llama.block_count", "general.file_type", "some.flags",
                                         "general.quantization_version"));
  EXPECT_EQ(*(*file)->stored("llama.block_count"), GgufStoredValue(std::uint16_t{1}));
  EXPECT_EQ(*(*file)->stored("some.flags"), GgufStoredValue(GgufStoredArray(std::vector<bool>{true, false})));
  EXPECT_EQ(*(*file)->stored("general.file_type"), GgufStoredValue(std::uint32_t{14}));
  EXPECT_EQ(*(*file)->stored("general.quantization_version"), GgufStoredValue(std::uint32_t{2}));
}

TEST_F(Quantising, EachTensorGetsWhatTheRulesSay) {
  const auto report = run(input(), output(), {.type = DType::q4_k, .threads = 2, .progress = {}});
  ASSERT_TRUE(report) << report.error().message;
  std::vector<std::string> types;
  for (const TensorReport& t : report->tensors) types.push_back(t.name + " " + t.to);
  EXPECT_THAT(types, testing::ElementsAre("token_embd.weight q4_k", "output.weight q6_k", "blk.0.attn_norm.weight f32",
                                          "blk.0.odd.weight f16", "blk.0.table I64", "blk.0.empty.weight q4_k"));
  EXPECT_THAT(report->notes, testing::ElementsAre(HasSubstr("1 tensors have types that weft doesn't compute with")));
  EXPECT_THAT(report->tensors[3].why, HasSubstr("no whole blocks"));
  EXPECT_EQ(decoded("blk.0.attn_norm.weight"), std::vector<float>(512, 1.5F));
  const auto file = GgufFile::open(output());
  ASSERT_TRUE(file);
  const auto table = (*file)->data(*(*file)->find_tensor("blk.0.table"));
  EXPECT_TRUE(std::ranges::equal(table, test::counted_bytes(32)));
}

TEST_F(Quantising, AnyNumberOfThreadsGivesTheSameBytesAndErrors) {
  const auto one = run(input(), folder_ / "one.gguf", {.type = DType::q5_k, .threads = 1, .progress = {}});
  ASSERT_TRUE(one);
  for (const int threads : {2, 3, 8}) {
    const auto many = run(input(), folder_ / "many.gguf", {.type = DType::q5_k, .threads = threads, .progress = {}});
    ASSERT_TRUE(many);
    EXPECT_EQ(test::read_bytes(folder_ / "one.gguf"), test::read_bytes(folder_ / "many.gguf")) << threads;
    for (std::size_t i = 0; i < one->tensors.size(); ++i) {
      EXPECT_EQ(one->tensors[i].relative_error, many->tensors[i].relative_error);
    }
  }
}

TEST_F(Quantising, QuantisedInputIsTakenWithANote) {
  ASSERT_TRUE(run(input(), folder_ / "q8.gguf", {.type = DType::q8_0, .threads = 2, .progress = {}}));
  const auto report = run(folder_ / "q8.gguf", output(), {.type = DType::q4_k, .threads = 2, .progress = {}});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->notes, testing::Contains(HasSubstr("quantised before")));
  const auto same =
      run(folder_ / "q8.gguf", folder_ / "same.gguf", {.type = DType::q8_0, .threads = 2, .progress = {}});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->tensors.at(0).largest_error, 0);
  EXPECT_EQ(test::read_bytes(folder_ / "q8.gguf"), test::read_bytes(folder_ / "same.gguf"));
}

TEST_F(Quantising, TheInputIsNeverWrittenOver) {
  const test::Bytes before = test::read_bytes(input());
  std::filesystem::create_symlink(input(), folder_ / "symbolic.gguf");
  std::filesystem::create_hard_link(input(), folder_ / "hard.gguf");
  for (const char* name : {"in.gguf", "symbolic.gguf", "hard.gguf", "./in.gguf"}) {
    const auto refused = run(input(), folder_ / name, {.type = DType::q8_0, .threads = 2, .progress = {}});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(test::read_bytes(input()), before) << name;
  }
}

TEST_F(Quantising, ValuesThatAreNoNumbersAreRefusedWithTheirPlace) {
  const auto with = [&](float value, DType type) {
    std::vector<float> values(1024, 1.0F);
    values[700] = value;
    GgufWriter writer;
    EXPECT_TRUE(writer.add_tensor({"blk.0.w.weight", DType::f32, {2, 512}}, encoded(DType::f32, values)));
    EXPECT_TRUE(writer.write(input()));
    return run(input(), output(), {.type = type, .threads = 2, .progress = {}});
  };
  for (const DType type : encodable_types()) {
    if (type == DType::f32) continue;  // copied
    const auto nan = with(std::numeric_limits<float>::quiet_NaN(), type);
    ASSERT_FALSE(nan) << name_of(type);
    EXPECT_EQ(nan.error().code, ErrorCode::non_finite);
    EXPECT_THAT(nan.error().message, testing::AllOf(HasSubstr("blk.0.w.weight"), HasSubstr("element 700")));
    if (type == DType::bf16) continue;  // has f32's range
    const auto large = with(1e30F, type);
    ASSERT_FALSE(large) << name_of(type);
    EXPECT_THAT(large.error().message, HasSubstr("range"));
  }
  expect_only_input();
}

TEST_F(Quantising, StoppingLeavesNothing) {
  int calls = 0;
  const auto stopped = run(input(), output(), {.type = DType::q8_0, .threads = 2, .progress = [&](const auto& p) {
                                                 EXPECT_LE(p.bytes_done, p.bytes_in_all);
                                                 return ++calls < 2 ? Status{} : fail(ErrorCode::cancelled, "enough");
                                               }});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(calls, 2);
  expect_only_input();
}

TEST_F(Quantising, ATypeWithoutAnEncoderIsRefusedWithAList) {
  const auto refused = run(input(), output(), {.type = DType::iq2_xs, .threads = 2, .progress = {}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::AllOf(HasSubstr("iq2_xs"), HasSubstr("q4_k")));
}

}  // namespace
}  // namespace weft::models
