// Attention and cache writes against numbers worked out by hand.
#include "core/ops/attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ops/kv_append.hpp"
#include "core/ops/kv_operands.hpp"
#include "core/ops/qk_norm_rope_append.hpp"
#include "core/ops/rms_norm.hpp"
#include "core/ops/rope.hpp"
#include "core/ops/run_op.hpp"
#include "core/quant/block_format.hpp"

namespace weft {
namespace {

using sample::absent;
using sample::Batch;
using sample::batch;
using sample::BatchEntry;
using sample::normal;
using sample::values;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_ops;

/// One KV head of two f32 elements, keys and values as given.
struct TinyCache {
  std::vector<std::array<float, 2>> keys;
  std::vector<std::array<float, 2>> values;
};
constexpr CacheSpec tiny{.k_type = DType::f32, .v_type = DType::f32, .kv_heads = 1, .dk = 2, .dv = 2};

Attention plain_attention() {
  Attention op;
  op.cache = tiny;
  return op;
}

std::vector<float> attend(const Attention& op, const std::vector<BatchEntry>& entries, const TinyCache& cache,
                          std::vector<float> q, std::int64_t heads = 1, SampleInput sinks = absent()) {
  const Batch b = batch(entries);
  const SampleInput queries = values(DType::f32, {b.tokens, heads, 2}, std::move(q));
  auto in = make_inputs({"", op, {queries, b.positions, b.sequences, b.kv_table, b.kv_lengths, b.cache, sinks}}, 1);
  const CacheRows<std::byte> rows(tiny, static_cast<std::int64_t>(cache.keys.size()), in[5].bytes().data());
  for (std::size_t r = 0; r < cache.keys.size(); ++r) {
    std::memcpy(rows.key(static_cast<std::int64_t>(r), 0), cache.keys[r].data(), 8);
    std::memcpy(rows.value(static_cast<std::int64_t>(r), 0), cache.values[r].data(), 8);
  }
  return run_on(op, in).values[0];
}

const TinyCache two_keys{{{1, 0}, {0, 0}}, {{1, 0}, {0, 0}}};

TEST(Attention, SoftcapComesBeforeTheSoftmaxAndInBaseE) {
  for (const auto& [cap, wanted] : {std::pair{0.0F, 0.982014}, {50.0F, 0.981863}, {5.0F, 0.965115}, {1.0F, 0.730927}}) {
    Attention op = plain_attention();
    op.softcap = cap;
    EXPECT_NEAR(attend(op, {{1, 1}}, two_keys, {4, 0})[0], wanted, 1e-6) << "cap " << cap;
  }
}

TEST(Attention, ScaleIsAnAttribute) {
  Attention op = plain_attention();
  op.scale = 0.25F;  // score 1 against 0
  EXPECT_NEAR(attend(op, {{1, 1}}, two_keys, {4, 0})[0], 1 / (1 + std::exp(-1.0)), 1e-6);
}

TEST(Attention, ASinkTakesWeightOnly) {
  // Scores 0, 0 and a sink of 0: each key has a third.
  EXPECT_NEAR(attend(plain_attention(), {{1, 1}}, two_keys, {0, 0}, 1, values(DType::f32, {1}, {0}))[0], 1.0 / 3, 1e-6);
  // A sink far above all scores leaves nearly nothing; the maximum includes it, so nothing overflows.
  EXPECT_NEAR(attend(plain_attention(), {{1, 1}}, two_keys, {0, 0}, 1, values(DType::f32, {1}, {1000}))[0], 0, 1e-6);
}

const TinyCache counting{{{0, 0}, {0, 0}, {0, 0}, {0, 0}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}}};

TEST(Attention, CausalWithinAChunk) {
  const auto y = attend(plain_attention(), {{1, 3}}, counting, std::vector<float>(6, 0.0F));
  EXPECT_FLOAT_EQ(y[0], 1.5F);       // keys 0, 1
  EXPECT_FLOAT_EQ(y[2], 7.0F / 3);   // keys 0 to 2
  EXPECT_FLOAT_EQ(y[4], 15.0F / 4);  // all
}

TEST(Attention, TheWindowMovesWithEachQuery) {
  Attention op = plain_attention();
  op.window = 2;
  const auto y = attend(op, {{1, 3}}, counting, std::vector<float>(6, 0.0F));
  EXPECT_FLOAT_EQ(y[0], 1.5F);
  EXPECT_FLOAT_EQ(y[2], 3.0F);
  EXPECT_FLOAT_EQ(y[4], 6.0F);
  op.window = 1;
  EXPECT_FLOAT_EQ(attend(op, {{1, 3}}, counting, std::vector<float>(6, 0.0F))[2], 4.0F);
}

TEST(Attention, SequencesSeeOnlyTheirOwnRows) {
  // Two sequences of two rows each; sequence 0 lies at rows 2 and 3.
  const auto y = attend(plain_attention(), {{1, 1}, {0, 1}}, counting, std::vector<float>(4, 0.0F));
  EXPECT_FLOAT_EQ(y[0], 6.0F);
  EXPECT_FLOAT_EQ(y[2], 1.0F);
}

TEST(Attention, QueryHeadsShareTheirGroupsKeys) {
  Attention op = plain_attention();
  const auto y = attend(op, {{1, 1}}, two_keys, {4, 0, 0, 0, -4, 0}, 3);
  EXPECT_NEAR(y[0], 0.982014, 1e-6);
  EXPECT_NEAR(y[2], 0.5, 1e-6);
  EXPECT_NEAR(y[4], 0.017986, 1e-6);
}

TEST(Attention, ARowThatSeesNoKeyIsZero) {
  const Batch b = batch({{0, 1}});
  auto in = make_inputs(
      {"",
       plain_attention(),
       {normal(DType::f32, {1, 1, 2}), b.positions, b.sequences, b.kv_table, sample::integers({0}), b.cache, absent()}},
      1);
  EXPECT_THAT(run_on(plain_attention(), in).values[0], Each(0.0F));
}

TEST(Attention, MagnitudeWeighsAbsoluteValues) {
  const Batch b = batch({{1, 1}});
  auto in = make_inputs(
      {"",
       plain_attention(),
       {values(DType::f32, {1, 1, 2}, {0, 0}), b.positions, b.sequences, b.kv_table, b.kv_lengths, b.cache, absent()}},
      1);
  const CacheRows<std::byte> rows(tiny, 2, in[5].bytes().data());
  const std::array<float, 2> first{1, -2};
  const std::array<float, 2> second{-3, 2};
  std::memcpy(rows.value(0, 0), first.data(), 8);
  std::memcpy(rows.value(1, 0), second.data(), 8);
  OwnedTensor out(f32({1, 1, 2}));
  plain_attention().magnitude(input_views(in), std::array{out.view()});
  EXPECT_THAT(read_all(out.input()), ElementsAre(2, 2));
}

TEST(Attention, NamesTheOperandThatIsWrong) {
  const TensorDesc cache = TensorDesc::dense(DType::state, {4});
  const TensorDesc none = TensorDesc::absent();
  const auto message = [&](TensorDesc q, TensorDesc lengths, TensorDesc sinks) {
    return refusal(plain_attention(), {q, i32({3}), i32({3}), i32({1, 1}), lengths, cache, sinks});
  };
  EXPECT_EQ(message(f32({3, 2, 2}), i32({1}), none), "");
  EXPECT_THAT(message(f32({3, 2, 4}), i32({1}), none), HasSubstr("attention: q is f32 [3, 2, 4], wanted"));
  EXPECT_THAT(message(f32({4, 2, 2}), i32({1}), none), HasSubstr("attention: positions is i32 [3], wanted shape [4]"));
  EXPECT_THAT(message(f32({3, 2, 2}), i32({2}), none), HasSubstr("attention: kv_lengths"));
  EXPECT_THAT(message(f32({3, 2, 2}), i32({1}), f32({3})), HasSubstr("attention: sinks"));
  Attention odd = plain_attention();
  odd.cache.kv_heads = 2;
  EXPECT_THAT(refusal(odd, {f32({3, 3, 2}), i32({3}), i32({3}), i32({1, 1}), i32({1}), cache, none}),
              HasSubstr("wanted a multiple of 2 heads"));
  odd = plain_attention();
  odd.cache.k_type = DType::q6_k;
  EXPECT_THAT(refusal(odd, {f32({3, 3, 2}), i32({3}), i32({3}), i32({1, 1}), i32({1}), cache, none}),
              HasSubstr("cache k_type is q6_k, wanted f32, f16"));
}

TEST(KvAppend, WritesRowsOfItsSequencesAndNothingElse) {
  const KvAppend op{tiny};
  const Batch b = batch({{1, 1}, {0, 2}});  // sequence 0 owns rows 2 and 3, sequence 1 rows 0 and 1
  const auto in = make_inputs(
      {"",
       op,
       {values(DType::f32, {3, 1, 2}, {1, 2, 3, 4, 5, 6}), values(DType::f32, {3, 1, 2}, {-1, -2, -3, -4, -5, -6}),
        b.positions, b.sequences, b.kv_table, b.cache}},
      1);
  const Outcome outcome = run_on(op, in);
  const CacheRows<const std::byte> before(tiny, 4, in[5].bytes().data());
  const CacheRows<const std::byte> after(tiny, 4, outcome.tensors[0].bytes().data());
  const auto floats = [](const std::byte* data) {
    std::array<float, 2> pair;
    std::memcpy(pair.data(), data, 8);
    return pair;
  };
  EXPECT_THAT(floats(after.key(3, 0)), ElementsAre(1, 2));
  EXPECT_THAT(floats(after.value(3, 0)), ElementsAre(-1, -2));
  EXPECT_THAT(floats(after.key(0, 0)), ElementsAre(3, 4));
  EXPECT_THAT(floats(after.value(1, 0)), ElementsAre(-5, -6));
  EXPECT_EQ(floats(after.key(2, 0)), floats(before.key(2, 0)));
  EXPECT_EQ(floats(after.value(2, 0)), floats(before.value(2, 0)));
}

TEST(KvAppend, RoundsToTheCachesType) {
  KvAppend op{{.k_type = DType::q8_0, .v_type = DType::f16, .kv_heads = 1, .dk = 32, .dv = 32}};
  const Batch b = batch({{0, 1}});
  std::vector<float> k(32, 0.5F);
  k[0] = 127;
  k[1] = -127;
  const auto in =
      make_inputs({"",
                   op,
                   {values(DType::f32, {1, 1, 32}, k), sample::constant(DType::f32, {1, 1, 32}, 1 + 0x1p-11F),
                    b.positions, b.sequences, b.kv_table, b.cache}},
                  1);
  const Outcome outcome = run_on(op, in);
  const CacheRows<const std::byte> rows(op.cache, 1, outcome.tensors[0].bytes().data());
  std::vector<float> out(32);
  decode_row(DType::q8_0, rows.key(0, 0), out);
  EXPECT_EQ(out[0], 127);
  EXPECT_EQ(out[1], -127);
  EXPECT_EQ(out[2], 1);  // 0.5 rounds away from zero
  decode_row(DType::f16, rows.value(0, 0), out);
  EXPECT_THAT(out, Each(1.0F));
}

TEST(QkNormRopeAppend, IsItsParts) {
  QkNormRopeAppend op;
  op.cache = {.k_type = DType::f16, .v_type = DType::f32, .kv_heads = 2, .dk = 16, .dv = 8};
  op.rope = RopeSpec::plain(RopePairing::halves, 8, 1e4F);
  op.weight_offset = 1;
  const Batch b = batch({{3, 2}, {0, 1}});
  const auto in =
      make_inputs({"",
                   op,
                   {normal(DType::f32, {3, 6, 16}), normal(DType::f32, {3, 2, 16}), normal(DType::f32, {3, 2, 8}),
                    normal(DType::f32, {16}), absent(), b.positions, b.sequences, b.kv_table, b.cache, absent()}},
                  3);
  const auto tensor = [&](std::size_t i) { return in[i].input(); };
  OwnedTensor q(f32({3, 6, 16}));
  OwnedTensor q_rotated(f32({3, 6, 16}));
  OwnedTensor k(f32({3, 2, 16}));
  RmsNorm{.weight_offset = 1}.reference(std::array{tensor(0), tensor(3)}, std::array{q.view()});
  Rope{op.rope}.reference(std::array{q.input(), tensor(5), tensor(9)}, std::array{q_rotated.view()});
  Rope{op.rope}.reference(std::array{tensor(1), tensor(5), tensor(9)}, std::array{k.view()});
  OwnedTensor state(in[8].desc(), in[8].bytes().size());
  KvAppend{op.cache}.reference(std::array{k.input(), tensor(2), tensor(5), tensor(6), tensor(7), tensor(8)},
                               std::array{state.view()});
  const Outcome fused = run_on(op, in);
  EXPECT_EQ(fused.values[0], read_all(q_rotated.input()));
  const auto bytes = fused.tensors[1].bytes();
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), state.bytes().begin()));
}

}  // namespace
}  // namespace weft
