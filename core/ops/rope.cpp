// Rotary position embedding.
#include "core/ops/rope.hpp"

#include <cmath>

#include "core/ops/elementwise.hpp"
#include "core/ops/rope_rows.hpp"
#include "core/ops/rows.hpp"
#include "core/ops/sample_inputs.hpp"
#include "core/ops/tolerances.hpp"

namespace weft {

void check_rope(OperandChecks& check, const RopeSpec& spec, std::int64_t width, std::size_t divisors) {
  const bool halves = spec.pairing == RopePairing::halves;
  check.that(spec.rotated >= 0 && spec.rotated % 2 == 0 && spec.rotated <= width, "rope rotated",
             fmt::format("{}", spec.rotated), fmt::format("an even number up to the head's width of {}", width));
  if (spec.rotated <= 0) return;
  check.that(!halves || (spec.pair_offset >= spec.rotated / 2 && spec.rotated / 2 + spec.pair_offset <= width),
             "rope pair_offset", fmt::format("{}", spec.pair_offset),
             fmt::format("{} to {}", spec.rotated / 2, width - spec.rotated / 2));
  check.that(spec.frequency_dims > 0, "rope frequency_dims", fmt::format("{}", spec.frequency_dims), "above 0");
  check.that(spec.theta > 0 && spec.linear_factor > 0 && spec.yarn.factor > 0, "rope theta or a factor",
             "0 or negative", "above 0");
  check.vector(divisors, Dim(spec.rotated / 2));
}

void set_rope_facts(Facts& facts, const RopeSpec& spec, const TensorDesc& divisors) {
  facts.set("pairing", spec.pairing == RopePairing::halves ? "halves" : "interleaved");
  facts.set("rotated", spec.rotated);
  facts.set("pair_offset", spec.pair_offset);
  facts.set("divisors", std::int64_t{divisors.present()});
  facts.set("yarn", std::int64_t{spec.yarn.factor != 1.0F});
}

void rotate_rows(const RopeSpec& spec, const RopeOperands& in, RopeTerms terms, const MutableHostView& out) {
  const std::vector<double> frequencies = rope_frequencies(spec, read_all(in.divisors));
  const std::vector<std::int32_t> positions = read_integers(in.positions);
  const std::int64_t heads = in.x.desc.shape[1].max;
  const bool sizes = terms == RopeTerms::absolute;
  for (std::int64_t r = 0; r < in.x.rows(); ++r) {
    const std::vector<float> x = read_row(in.x, r);
    std::vector<double> y(x.begin(), x.end());
    const double position = positions[static_cast<std::size_t>(r / heads)];
    for (std::size_t j = 0; j < frequencies.size(); ++j) {
      const double angle = position * frequencies[j];
      const double c = std::cos(angle) * spec.magnitude;
      const double s = std::sin(angle) * spec.magnitude;
      const RopePair pair = rope_pair(spec, static_cast<std::int64_t>(j));
      const double a = x[static_cast<std::size_t>(pair.first)];
      const double b = x[static_cast<std::size_t>(pair.second)];
      y[static_cast<std::size_t>(pair.first)] = sizes ? std::abs(a * c) + std::abs(b * s) : a * c - b * s;
      y[static_cast<std::size_t>(pair.second)] = sizes ? std::abs(a * s) + std::abs(b * c) : a * s + b * c;
    }
    if (sizes) {
      for (double& v : y) v = std::abs(v);
    }
    write_row(out, r, y);
  }
}

Result<TensorDescs> Rope::infer(TensorSpan in) const {
  OperandChecks check = check_operands(*this, in);
  check.activation(0).rank(0, 3).integers(1, check.dim(0, 0));
  check_rope(check, spec, check.inner(0).max, 2);
  if (!check.ok()) return check.error();
  return TensorDescs{elementwise::like(in[0])};
}

void Rope::reference(ConstHostViews in, MutableHostViews out) const {
  rotate_rows(spec, {in[0], in[1], in[2]}, RopeTerms::plain, out[0]);
}

void Rope::magnitude(ConstHostViews in, MutableHostViews out) const {
  rotate_rows(spec, {in[0], in[1], in[2]}, RopeTerms::absolute, out[0]);
}

Cost Rope::cost(TensorSpan in) const { return elementwise::cost(in, in[0].dtype, 3); }

Facts Rope::facts(TensorSpan in) const {
  Facts facts;
  facts.set("tokens", in[0].shape[0].max);
  facts.set("heads", in[0].shape[1].max);
  facts.set("d", in[0].width());
  facts.set("x", weft::name_of(in[0].dtype));
  facts.set("dense", std::int64_t{elementwise::all_dense(in)});
  set_rope_facts(facts, spec, in[2]);
  return facts;
}

// cos and sin from a table or function with an angle in double are f32 numbers, right to two roundings; then two
// products and a sum.
Tolerance Rope::tolerance(TensorSpan in, ActivationPrecision /*precision*/) const {
  return rounding_tolerance(8, in[0].dtype);
}

namespace {

/// Positions of `tokens` tokens from `first` on, `step` apart.
SampleInput positions(std::int64_t tokens, std::int32_t first, std::int32_t step) {
  std::vector<std::int32_t> p(static_cast<std::size_t>(tokens));
  for (std::size_t t = 0; t < p.size(); ++t) p[t] = first + static_cast<std::int32_t>(t) * step;
  return sample::integers(std::move(p));
}

SampleInput unit_vector(std::int64_t d, std::size_t one) {
  std::vector<float> x(static_cast<std::size_t>(d), 0.0F);
  x[one] = 1.0F;
  return sample::values(DType::f32, {1, 1, d}, std::move(x));
}

std::vector<float> llama3_divisors(std::int64_t pairs) {
  std::vector<float> divisors(static_cast<std::size_t>(pairs), 1.0F);
  for (std::size_t j = divisors.size() / 2; j < divisors.size(); ++j)
    divisors[j] = j * 4 > divisors.size() * 3 ? 32.0F : 8.0F;
  return divisors;
}

void add_sizes(std::vector<Sample<Rope>>& all) {
  for (const RopePairing pairing : {RopePairing::halves, RopePairing::interleaved}) {
    const std::string_view how = pairing == RopePairing::halves ? "halves" : "interleaved";
    for (const std::int64_t d : {2, 64, 80, 96, 128, 256}) {
      const DType type = d % 32 == 0 ? DType::f32 : DType::f16;
      const std::int64_t tokens = d == 64 ? 33 : 3;
      all.push_back({fmt::format("{} {} d {}", how, weft::name_of(type), d),
                     Rope{RopeSpec::plain(pairing, d, 10000.0F)},
                     {sample::normal(type, {tokens, 3, d}), positions(tokens, 0, 1), sample::absent()}});
    }
    all.push_back(
        {fmt::format("{} far positions", how),
         Rope{RopeSpec::plain(pairing, 64, 1e6F)},
         {sample::normal(DType::f32, {4, 2, 64}), sample::integers({700, 2355, 32767, 131071}), sample::absent()}});
    all.push_back({fmt::format("{} part of the head", how),
                   Rope{RopeSpec::plain(pairing, 64, 1e7F)},
                   {sample::normal(DType::f32, {24, 2, 256}), positions(24, 700, 72), sample::absent()}});
    all.push_back({fmt::format("{} strided", how),
                   Rope{RopeSpec::plain(pairing, 64, 1e4F)},
                   {sample::strided(DType::f32, {5, 3, 64}, 64), positions(5, 9, 1), sample::absent()}});
    RopeSpec yarn = RopeSpec::plain(pairing, 64, 1e4F);
    yarn.yarn = {.factor = 64.0F, .original_context = 4096};
    yarn.magnitude = 1.4158883F;
    all.push_back({fmt::format("{} YaRN", how),
                   Rope{yarn},
                   {sample::normal(DType::f32, {3, 2, 64}), positions(3, 5000, 17), sample::absent()}});
    all.push_back({fmt::format("{} divisors", how),
                   Rope{RopeSpec::plain(pairing, 64, 5e5F)},
                   {sample::normal(DType::f16, {3, 2, 64}), positions(3, 9000, 1),
                    sample::values(DType::f32, {32}, llama3_divisors(32))}});
  }
}

}  // namespace

std::vector<Sample<Rope>> Rope::samples() {
  std::vector<Sample<Rope>> all;
  add_sizes(all);
  const RopeSpec part = RopeSpec::plain(RopePairing::halves, 64, 1e7F);
  for (const std::size_t one : {0, 1}) {
    all.push_back({fmt::format("64 of 256, unit vector {} at 1000", one),
                   Rope{part},
                   {unit_vector(256, one), sample::integers({1000}), sample::absent()}});
  }
  RopeSpec linear = RopeSpec::plain(RopePairing::halves, 256, 1e6F);
  linear.linear_factor = 8.0F;
  all.push_back({"linear scaling",
                 Rope{linear},
                 {sample::normal(DType::f32, {3, 1, 256}), positions(3, 4000, 1), sample::absent()}});
  // LongRoPE: a divisor a pair, and cos and sin times sqrt(1 + ln(131072 / 4096) / ln 4096).
  RopeSpec long_rope = RopeSpec::plain(RopePairing::halves, 96, 1e4F);
  long_rope.magnitude = 1.1902380F;
  std::vector<float> long_divisors(48);
  for (std::size_t j = 0; j < long_divisors.size(); ++j) long_divisors[j] = 1.0F + 1.25F * static_cast<float>(j);
  all.push_back({"LongRoPE, 96 of 128",
                 Rope{long_rope},
                 {sample::normal(DType::f32, {3, 2, 128}), positions(3, 5000, 4096),
                  sample::values(DType::f32, {48}, std::move(long_divisors))}});
  RopeSpec untruncated = RopeSpec::plain(RopePairing::halves, 64, 150000.0F);
  untruncated.yarn = {.factor = 32.0F, .original_context = 4096, .truncate = false};
  untruncated.magnitude = 1.3465736F;
  all.push_back({"YaRN with a ramp that isn't rounded to whole pairs",
                 Rope{untruncated},
                 {sample::normal(DType::f32, {3, 2, 64}), positions(3, 5000, 4096), sample::absent()}});
  RopeSpec proportional = RopeSpec::plain(RopePairing::halves, 64, 1e6F);
  proportional.pair_offset = 128;
  proportional.frequency_dims = 256;
  all.push_back({"proportional",
                 Rope{proportional},
                 {sample::normal(DType::f32, {3, 2, 256}), positions(3, 999, 1), sample::absent()}});
  all.push_back(
      {"no rotation", Rope{}, {sample::normal(DType::f32, {3, 2, 17}), positions(3, 5, 1), sample::absent()}});
  all.push_back(
      {"no tokens", Rope{part}, {sample::normal(DType::f32, {0, 2, 64}), positions(0, 0, 1), sample::absent()}});
  return all;
}

}  // namespace weft
