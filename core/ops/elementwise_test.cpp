// Elementwise ops against numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/ops/add.hpp"
#include "core/ops/cast.hpp"
#include "core/ops/glu.hpp"
#include "core/ops/mul.hpp"
#include "core/ops/run_op.hpp"
#include "core/ops/scale.hpp"
#include "core/ops/softcap.hpp"

namespace weft {
namespace {

using sample::values;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using namespace testing_ops;

TEST(Add, BroadcastsOverLeadingDimensions) {
  const SampleInput a = values(DType::f32, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto sum = [&](const Shape& shape, std::vector<float> b) {
    return run(Add{}, {a, values(DType::f32, shape, std::move(b))}).values[0];
  };
  EXPECT_THAT(sum({2}, {10, 20}), ElementsAre(11, 22, 13, 24, 15, 26, 17, 28));
  EXPECT_THAT(sum({2, 2}, {10, 20, 30, 40}), ElementsAre(11, 22, 33, 44, 15, 26, 37, 48));
  EXPECT_THAT(sum({2, 1, 2}, {10, 20, 30, 40}), ElementsAre(11, 22, 13, 24, 35, 46, 37, 48));
  EXPECT_THAT(sum({2, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2}), ElementsAre(2, 3, 4, 5, 7, 8, 9, 10));
}

TEST(Add, RefusesWhatCannotBeBroadcast) {
  EXPECT_THAT(refusal(Add{}, {f32({3, 4}), f32({3})}), HasSubstr("add: b is f32 [3], wanted shape [3, 4]"));
  EXPECT_THAT(refusal(Add{}, {f32({4}), f32({1, 4})}), HasSubstr("add: b"));
  EXPECT_THAT(refusal(Add{}, {f32({3, 4}), f32({2, 4})}), HasSubstr("add: b"));
  EXPECT_THAT(refusal(Add{}, {f32({4})}), HasSubstr("add: 1 operands, wanted 2"));
  EXPECT_THAT(refusal(Add{}, {f32({4}), TensorDesc::absent()}), HasSubstr("add: b is absent, wanted a tensor"));
  EXPECT_THAT(refusal(Add{}, {i32({4}), f32({4})}), HasSubstr("add: a is i32 [4], wanted f32 or f16"));
}

TEST(Add, KeepsTheSymbolAndTypeOfItsFirstOperand) {
  const Shape tokens{Dim(8, Symbol::tokens), Dim(4)};
  const auto result = Add{}.infer(TensorDescs{TensorDesc::dense(DType::f16, tokens), f32({4})});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->front(), TensorDesc::dense(DType::f16, tokens));
  EXPECT_THAT(refusal(Add{}, {f32(tokens), f32({8, 4})}), HasSubstr("[tokens<=8, 4]"));
}

TEST(Mul, MultipliesRowsOfViews) {
  std::vector<OwnedTensor> in;
  in.emplace_back(f32({2, 4}));
  in.emplace_back(f32({2}));
  const std::vector<float> a{1, 2, 9, 9, 3, 4, 9, 9};
  const std::vector<float> b{10, 100};
  std::memcpy(in[0].bytes().data(), a.data(), 32);
  std::memcpy(in[1].bytes().data(), b.data(), 8);
  TensorDesc left = f32({2, 2});
  left.strides = {4, 1, 0, 0};
  OwnedTensor out(f32({2, 2}));
  const std::array views{ConstHostView{left, in[0].bytes().data()}, in[1].input()};
  Mul{}.reference(views, std::array{out.view()});
  EXPECT_THAT(read_all(out.input()), ElementsAre(10, 200, 30, 400));
}

TEST(Scale, MultipliesByTheFactor) {
  EXPECT_THAT(run(Scale{-0.5F}, {values(DType::f16, {3}, {1, -4, 0})}).values[0], ElementsAre(-0.5F, 2, 0));
}

TEST(Softcap, LimitsLogits) {
  EXPECT_THAT(run(Softcap{30}, {values(DType::f32, {1, 2}, {40, 0})}).values[0],
              ElementsAre(FloatNear(26.1018F, 1e-4F), 0));
  EXPECT_THAT(refusal(Softcap{0}, {f32({3})}), HasSubstr("softcap: cap is 0, wanted"));
}

TEST(Activation, FollowsTheirFormulas) {
  EXPECT_NEAR(activate(ActivationKind::silu, 1), 0.7310585786, 1e-10);
  EXPECT_NEAR(activate(ActivationKind::gelu_tanh, 1), 0.8411919906, 1e-9);
  EXPECT_NEAR(activate(ActivationKind::gelu_erf, 1), 0.8413447461, 1e-10);
  EXPECT_EQ(activate(ActivationKind::relu, -2), 0);
  EXPECT_EQ(activate(ActivationKind::relu, -std::numeric_limits<double>::infinity()), 0);
  EXPECT_TRUE(std::isnan(activate(ActivationKind::relu, std::nan(""))));
  EXPECT_NEAR(activate(ActivationKind::sigmoid, -1), 0.2689414214, 1e-10);
}

TEST(Glu, MultipliesTheActivatedGate) {
  const std::vector<float> y =
      run(Glu{ActivationKind::silu}, {values(DType::f32, {2}, {1, -1}), values(DType::f32, {2}, {10, 10})}).values[0];
  EXPECT_THAT(y, ElementsAre(FloatNear(7.310586F, 1e-5F), FloatNear(-2.689414F, 1e-5F)));
  EXPECT_THAT(refusal(Glu{}, {f32({2, 3}), f32({3})}), HasSubstr("glu: up is f32 [3], wanted shape [2, 3]"));
}

TEST(Cast, RoundsToNearestEven) {
  const std::vector<float> y =
      run(Cast{DType::f16}, {values(DType::f32, {6}, {1 + 0x1p-11F, 1 + 0x3p-11F, 65519, 65520, 0x1p-25F, 0x3p-26F})})
          .values[0];
  EXPECT_THAT(y, ElementsAre(1, 1 + 0x1p-9F, 65504, std::numeric_limits<float>::infinity(), 0, 0x1p-24F));
  EXPECT_THAT(run(Cast{DType::bf16}, {values(DType::f32, {2}, {1 + 0x1p-8F, 1 + 0x3p-8F})}).values[0],
              ElementsAre(1, 1 + 0x1p-6F));
  EXPECT_THAT(refusal(Cast{DType::q4_0}, {f32({32})}), HasSubstr("cast: target type is q4_0, wanted f32"));
}

}  // namespace
}  // namespace weft
