// What holds for every op and every sample.
#include "core/ops.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "core/ops/rows.hpp"
#include "core/quant/block_format.hpp"
#include "core/sample_data.hpp"

namespace weft {
namespace {

using testing::HasSubstr;

std::string label(const AnySample& s) { return fmt::format("{}: {}", name_of(s.op), s.name); }

std::vector<std::string> names_of(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& [name, value] : facts.entries()) names.push_back(fmt::format("{} {}", name, value.index()));
  return names;
}

TEST(AllOps, SamplesAreAcceptedAndHaveNamesOfTheirOwn) {
  std::set<std::string> seen;
  std::set<std::string_view> ops;
  for (const AnySample& s : all_samples()) {
    EXPECT_TRUE(seen.insert(label(s)).second) << label(s) << " is there twice";
    ops.insert(name_of(s.op));
    const auto in = make_inputs(s, 1);
    const auto out = infer(s.op, descs_of(in));
    ASSERT_TRUE(out) << label(s) << ": " << out.error().message;
    EXPECT_LE(cost(s.op, descs_of(in)).flops, 2e7) << label(s) << " takes the reference too long";
  }
  EXPECT_EQ(ops.size(), AllOps::size);
}

TEST(AllOps, FactsHaveTheSameNamesAndKindsInEveryCall) {
  for (const AnySample& s : all_samples()) {
    const Facts found = facts(s.op, descs_of(make_inputs(s, 1)));
    EXPECT_EQ(names_of(found), names_of(example_facts(name_of(s.op)))) << label(s);
    EXPECT_NE(found.find("dense"), nullptr) << label(s);
  }
  EXPECT_TRUE(example_facts("no such op").entries().empty());
}

/// Elements of float outputs; states as bytes.
std::vector<std::vector<std::byte>> results(const AnySample& s, const std::vector<OwnedTensor>& in) {
  const auto descs = infer(s.op, descs_of(in));
  auto out = make_outputs(s.op, *descs, in);
  reference(s.op, input_views(in), output_views(out));
  std::vector<std::vector<std::byte>> bytes;
  for (const OwnedTensor& t : out) bytes.emplace_back(t.bytes().begin(), t.bytes().end());
  return bytes;
}

/// Outputs start as NaN: a NaN that no input explains is an element left out.
TEST(AllOps, ReferencesWriteEveryElementTheSameEachTime) {
  for (const AnySample& s : all_samples()) {
    const auto in = make_inputs(s, 1);
    const auto descs = infer(s.op, descs_of(in));
    auto out = make_outputs(s.op, *descs, in);
    reference(s.op, input_views(in), output_views(out));
    for (const OwnedTensor& t : out) {
      if (!is_float(t.desc().dtype)) continue;
      for (const float v : read_all(t.input())) ASSERT_FALSE(std::isnan(v)) << label(s);
    }
    EXPECT_EQ(results(s, in), results(s, in)) << label(s);
  }
}

TEST(AllOps, TolerancesAreSmallAndWiderForRoundedActivations) {
  for (const AnySample& s : all_samples()) {
    const TensorDescs in = descs_of(make_inputs(s, 1));
    const Tolerance full = tolerance(s.op, in, ActivationPrecision::full);
    const Tolerance rounded = tolerance(s.op, in, ActivationPrecision::int8);
    EXPECT_GE(rounded.relative, full.relative) << label(s);
    EXPECT_LT(full.relative, 0.01) << label(s);
    // Scores of attention are exponents: rounded queries show in full there, so its bound has no fixed size.
    if (!std::holds_alternative<Attention>(s.op)) {
      EXPECT_LT(rounded.relative, 0.2) << label(s);
    }
  }
}

TEST(AllOps, ViewsAndAliasesAreKnown) {
  EXPECT_TRUE(is_view(Reshape{}));
  EXPECT_FALSE(is_view(Add{}));
  EXPECT_THAT(view_of(Add{}, TensorDesc::dense(DType::f32, {3})).error().message, HasSubstr("no view op"));
  ASSERT_EQ(aliases(QkNormRopeAppend{}).size(), 1U);
  EXPECT_EQ(aliases(QkNormRopeAppend{})[0].input, 8U);
  EXPECT_TRUE(aliases(Add{}).empty());
  EXPECT_EQ(input_ports(QuantMatmul{}).size(), 3U);
  EXPECT_EQ(output_ports(AddRmsNorm{}).size(), 2U);
}

TEST(Magnitude, IsTheResultsSizeWhereAnOpHasNoOther) {
  const AnySample s{"", Scale{-2}, {{TensorDesc::dense(DType::f32, {2}), Fill::of(std::vector<float>{1, -3})}}};
  const auto in = make_inputs(s, 1);
  auto want = make_outputs(s.op, descs_of(in), in);
  auto size = make_outputs(s.op, descs_of(in), in);
  reference(s.op, input_views(in), output_views(want));
  magnitude(s.op, input_views(in), output_views(want), output_views(size));
  EXPECT_THAT(read_all(size[0].input()), testing::ElementsAre(2, 6));
}

// ---- The tolerance of matmuls is neither too narrow for honest kernels nor so wide that wrong ones pass.

/// x with each block of 32 rounded to 255 steps.
std::vector<float> rounded_to_int8(std::vector<float> x) {
  for (std::size_t begin = 0; begin < x.size(); begin += 32) {
    const std::size_t end = std::min(begin + 32, x.size());
    float largest = 0;
    for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(x[i]));
    const float step = largest / 127;
    for (std::size_t i = begin; i < end && step > 0; ++i) x[i] = std::round(x[i] / step) * step;
  }
  return x;
}

enum class Fault : std::uint8_t { none, drops_last_block };

/// Worst |got - want| / allowed of a plain f32 kernel on a sample.
double worst_ratio(const AnySample& s, ActivationPrecision precision, Fault fault) {
  const auto in = make_inputs(s, 1);
  const auto descs = infer(s.op, descs_of(in));
  auto want = make_outputs(s.op, *descs, in);
  std::vector<OwnedTensor> size;
  size.emplace_back(TensorDesc::dense(DType::f32, descs->front().shape));
  reference(s.op, input_views(in), output_views(want));
  magnitude(s.op, input_views(in), output_views(want), output_views(size));
  const Tolerance allowed = tolerance(s.op, descs_of(in), precision);
  const std::vector<float> bias = read_all(in[2].input());
  double worst = 0;
  for (std::int64_t t = 0; t < in[0].desc().rows(); ++t) {
    std::vector<float> x = read_row(in[0].input(), t);
    if (precision == ActivationPrecision::int8) x = rounded_to_int8(std::move(x));
    const std::vector<float> wanted = read_row(want[0].input(), t);
    const std::vector<float> sizes = read_row(size[0].input(), t);
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      const std::vector<float> w = read_row(in[1].input(), static_cast<std::int64_t>(n));
      const std::size_t used = fault == Fault::none ? x.size() : x.size() - std::min<std::size_t>(32, x.size());
      float sum = 0;
      for (std::size_t i = 0; i < used; ++i) sum += x[i] * w[i];
      if (!bias.empty()) sum += bias[n];
      MutableHostView out = want[0].view();
      std::array<std::byte, 4> stored{};
      write_element(out, stored.data(), 0, sum);
      std::array<float, 1> got{};
      decode_row(out.desc.dtype, stored.data(), got);
      const double error = std::abs(static_cast<double>(got[0]) - wanted[n]);
      worst = std::max(worst, error / (allowed.absolute + allowed.relative * sizes[n]));
    }
  }
  return worst;
}

TEST(MatmulTolerance, HoldsForHonestKernels) {
  for (const ActivationPrecision precision : {ActivationPrecision::full, ActivationPrecision::int8}) {
    double worst = 0;
    for (Sample<QuantMatmul>& s : QuantMatmul::samples()) {
      const AnySample any{s.name, s.op, s.inputs};
      const double ratio = worst_ratio(any, precision, Fault::none);
      EXPECT_LE(ratio, 1) << s.name << (precision == ActivationPrecision::int8 ? " int8" : " full");
      worst = std::max(worst, ratio);
    }
    EXPECT_GT(worst, 0.05) << "far wider than any kernel needs";
  }
}

TEST(MatmulTolerance, CatchesADroppedBlock) {
  for (const std::int64_t k : {32, 576, 896}) {
    const AnySample s{"",
                      QuantMatmul{},
                      {{TensorDesc::dense(DType::f32, {3, k}), Fill::normal()},
                       {TensorDesc::dense(DType::q4_0, {33, k}), Fill::normal()},
                       {TensorDesc::absent(), {}}}};
    EXPECT_GT(worst_ratio(s, ActivationPrecision::int8, Fault::drops_last_block), 3) << k;
    EXPECT_GT(worst_ratio(s, ActivationPrecision::full, Fault::drops_last_block), 100) << k;
  }
}

}  // namespace
}  // namespace weft
