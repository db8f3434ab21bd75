// Norms and matmuls against numbers worked out by hand; fused ops against their parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/ops/add.hpp"
#include "core/ops/add_rms_norm.hpp"
#include "core/ops/glu.hpp"
#include "core/ops/logits.hpp"
#include "core/ops/matmul_add.hpp"
#include "core/ops/norm_matmul.hpp"
#include "core/ops/norm_matmul_glu.hpp"
#include "core/ops/quant_matmul.hpp"
#include "core/ops/rms_norm.hpp"
#include "core/ops/run_op.hpp"
#include "core/ops/scale.hpp"
#include "core/ops/softcap.hpp"

namespace weft {
namespace {

using sample::absent;
using sample::constant;
using sample::normal;
using sample::values;
using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using namespace testing_ops;

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  // mean square of 3 and 4 is 12.5; with eps 3.5 the root is 4.
  const SampleInput x = values(DType::f32, {1, 2}, {3, 4});
  EXPECT_THAT(run(RmsNorm{.eps = 3.5F}, {x, absent()}).values[0], ElementsAre(0.75F, 1.0F));
  EXPECT_THAT(run(RmsNorm{.eps = 3.5F}, {x, values(DType::f32, {2}, {2, -1})}).values[0], ElementsAre(1.5F, -1.0F));
  EXPECT_THAT(run(RmsNorm{.eps = 3.5F, .weight_offset = 1}, {x, values(DType::f32, {2}, {1, 0})}).values[0],
              ElementsAre(1.5F, 1.0F));
}

TEST(RmsNorm, RefusesAWeightOfAnotherWidth) {
  EXPECT_THAT(refusal(RmsNorm{}, {f32({3, 4}), f32({5})}), HasSubstr("rms_norm: weight is f32 [5], wanted shape [4]"));
}

TEST(QuantMatmul, MultipliesRowsAndAddsTheBias) {
  const SampleInput x = values(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const SampleInput w = values(DType::f16, {2, 3}, {1, 0, -1, 2, 1, 0});
  EXPECT_THAT(run(QuantMatmul{}, {x, w, absent()}).values[0], ElementsAre(-2, 4, -2, 13));
  EXPECT_THAT(run(QuantMatmul{}, {x, w, values(DType::f32, {2}, {10, 20})}).values[0], ElementsAre(8, 24, 8, 33));
}

TEST(QuantMatmul, ReadsBlocks) {
  // q4_0, d = 0.5, codes 8 + (low nibble 1, high nibble -1): 16 weights 0.5, 16 weights -0.5.
  std::vector<std::uint8_t> block{0x00, 0x38};
  block.insert(block.end(), 16, 0x79);
  std::vector<float> x(32);
  for (std::size_t i = 0; i < 32; ++i) x[i] = static_cast<float>(i);
  const SampleInput w{TensorDesc::dense(DType::q4_0, {2, 32}), Fill::blocks(block)};
  EXPECT_THAT(run(QuantMatmul{}, {values(DType::f32, {1, 32}, x), w, absent()}).values[0],
              ElementsAre(-128, -128));  // (120 - 376) / 2
}

TEST(QuantMatmul, ActivationsBeyondWhatAnF16BlockSumHolds) {
  std::vector<std::uint8_t> block{0x00, 0x24, 0x00, 0xB0};  // d = 1/64, m = -1/8, codes 9: weights 1/64
  block.insert(block.end(), 16, 0x99);
  const SampleInput w{TensorDesc::dense(DType::q4_1, {1, 32}), Fill::blocks(block)};
  for (const auto& [value, wanted] :
       {std::pair{2046.0F, 1023.0F}, {2047.0F, 1023.5F}, {3000.0F, 1500.0F}, {-3000.0F, -1500.0F}}) {
    EXPECT_THAT(run(QuantMatmul{}, {constant(DType::f32, {3, 32}, value), w, absent()}).values[0], Each(wanted));
  }
}

TEST(QuantMatmul, ExtremeEightBitWeights) {
  const auto product = [](std::uint8_t code, std::vector<float> pattern) {
    std::vector<std::uint8_t> block{0x00, 0x3C};
    block.insert(block.end(), 32, code);
    std::vector<float> x(64);
    for (std::size_t i = 0; i < 64; ++i) x[i] = pattern[i % pattern.size()];
    const SampleInput w{TensorDesc::dense(DType::q8_0, {1, 64}), Fill::blocks(block)};
    return run(QuantMatmul{}, {values(DType::f32, {1, 64}, x), w, absent()}).values[0].front();
  };
  EXPECT_EQ(product(0x7F, {1}), 8128);
  EXPECT_EQ(product(0x80, {-1}), 8192);
  EXPECT_EQ(product(0x7F, {1, -1}), 0);
}

TEST(QuantMatmul, RefusesOperandsThatDoNotFit) {
  const TensorDesc none = TensorDesc::absent();
  EXPECT_THAT(refusal(QuantMatmul{}, {f32({2, 3}), f32({4, 5}), none}),
              HasSubstr("quant_matmul: w is f32 [4, 5], wanted an innermost size of [3]"));
  EXPECT_THAT(refusal(QuantMatmul{}, {f32({2, 48}), TensorDesc::dense(DType::q4_0, {4, 48}), none}),
              HasSubstr("quant_matmul: w is q4_0 [4, 48], wanted rows of whole blocks of 32"));
  EXPECT_THAT(refusal(QuantMatmul{}, {f32({2, 3}), f32({4, 3}), f32({3})}),
              HasSubstr("quant_matmul: bias is f32 [3], wanted shape [4]"));
  EXPECT_THAT(refusal(QuantMatmul{}, {f32({2, 3}), i32({4, 3}), none}), HasSubstr("quant_matmul: w is i32"));
  TensorDesc columns = f32({2, 3});
  columns.strides = {1, 2, 0, 0};
  EXPECT_THAT(refusal(QuantMatmul{}, {columns, f32({4, 3}), none}), HasSubstr("innermost stride 1"));
}

TEST(QuantMatmul, TokensStaySymbolic) {
  const TensorDesc x = TensorDesc::dense(DType::f16, {Dim(512, Symbol::tokens), Dim(32)});
  const auto y = QuantMatmul{}.infer(TensorDescs{x, TensorDesc::dense(DType::q8_0, {7, 32}), TensorDesc::absent()});
  ASSERT_TRUE(y);
  EXPECT_EQ(y->front(), TensorDesc::dense(DType::f16, {Dim(512, Symbol::tokens), Dim(7)}));
}

TEST(QuantMatmul, MagnitudeSumsAbsoluteProducts) {
  OwnedTensor out(f32({1, 1}));
  const auto in = make_inputs(
      {"",
       QuantMatmul{},
       {values(DType::f32, {1, 2}, {1, -2}), values(DType::f32, {1, 2}, {3, 4}), values(DType::f32, {1}, {-5})}},
      1);
  QuantMatmul{}.magnitude(input_views(in), std::array{out.view()});
  EXPECT_THAT(read_all(out.input()), ElementsAre(16));
}

const SampleInput x = normal(DType::f32, {3, 64});
const SampleInput gain = normal(DType::f32, {64});
const SampleInput first = normal(DType::q4_0, {5, 64}, 0.1F);
const SampleInput first_bias = normal(DType::f32, {5});
const SampleInput second = normal(DType::q8_0, {5, 64}, 0.1F);

TEST(FusedOps, NormMatmulIsItsParts) {
  const NormMatmul op{.eps = 1e-3F, .weight_offset = 1};
  const auto in = make_inputs({"", op, {x, gain, first, first_bias, second, absent()}}, 7);
  const Outcome fused = run_on(op, in);
  const auto tensor = [&](std::size_t i) { return in[i].input(); };
  OwnedTensor h(f32({3, 64}));
  RmsNorm{.eps = 1e-3F, .weight_offset = 1}.reference(std::array{tensor(0), tensor(1)}, std::array{h.view()});
  OwnedTensor y(f32({3, 5}));
  QuantMatmul{}.reference(std::array{h.input(), tensor(2), tensor(3)}, std::array{y.view()});
  EXPECT_EQ(fused.values[0], read_all(y.input()));
  QuantMatmul{}.reference(std::array{h.input(), tensor(4), tensor(5)}, std::array{y.view()});
  EXPECT_EQ(fused.values[1], read_all(y.input()));
}

TEST(FusedOps, MatmulAddIsItsParts) {
  const auto in = make_inputs({"", MatmulAdd{}, {x, first, first_bias, normal(DType::f32, {3, 5})}}, 7);
  OwnedTensor y(f32({3, 5}));
  OwnedTensor sum(f32({3, 5}));
  QuantMatmul{}.reference(std::array{in[0].input(), in[1].input(), in[2].input()}, std::array{y.view()});
  Add{}.reference(std::array{y.input(), in[3].input()}, std::array{sum.view()});
  EXPECT_EQ(run_on(MatmulAdd{}, in).values[0], read_all(sum.input()));
}

TEST(FusedOps, NormMatmulGluIsItsParts) {
  const NormMatmulGlu op{.activation = ActivationKind::gelu_tanh};
  const auto in = make_inputs({"", op, {x, gain, first, first_bias, second, absent()}}, 7);
  OwnedTensor h(f32({3, 64}));
  RmsNorm{}.reference(std::array{in[0].input(), in[1].input()}, std::array{h.view()});
  OwnedTensor gate(f32({3, 5}));
  OwnedTensor up(f32({3, 5}));
  OwnedTensor y(f32({3, 5}));
  QuantMatmul{}.reference(std::array{h.input(), in[2].input(), in[3].input()}, std::array{gate.view()});
  QuantMatmul{}.reference(std::array{h.input(), in[4].input(), in[5].input()}, std::array{up.view()});
  Glu{ActivationKind::gelu_tanh}.reference(std::array{gate.input(), up.input()}, std::array{y.view()});
  EXPECT_EQ(run_on(op, in).values[0], read_all(y.input()));
}

TEST(FusedOps, AddRmsNormIsItsParts) {
  const auto in = make_inputs({"", AddRmsNorm{}, {x, normal(DType::f32, {3, 64}), gain}}, 7);
  OwnedTensor sum(f32({3, 64}));
  OwnedTensor y(f32({3, 64}));
  Add{}.reference(std::array{in[0].input(), in[1].input()}, std::array{sum.view()});
  RmsNorm{}.reference(std::array{sum.input(), in[2].input()}, std::array{y.view()});
  const Outcome fused = run_on(AddRmsNorm{}, in);
  EXPECT_EQ(fused.values[0], read_all(sum.input()));
  EXPECT_EQ(fused.values[1], read_all(y.input()));
}

TEST(FusedOps, LogitsAreTheirPartsAndTheirArgmax) {
  Logits op{.scale = 0.5F, .softcap = 2.0F};
  const auto in = make_inputs({"", op, {x, gain, first}}, 7);
  OwnedTensor h(f32({3, 64}));
  OwnedTensor a(f32({3, 5}));
  OwnedTensor b(f32({3, 5}));
  RmsNorm{}.reference(std::array{in[0].input(), in[1].input()}, std::array{h.view()});
  QuantMatmul{}.reference(std::array{h.input(), in[2].input(), ConstHostView{}}, std::array{a.view()});
  Scale{0.5F}.reference(std::array{a.input()}, std::array{b.view()});
  Softcap{2.0F}.reference(std::array{b.input()}, std::array{a.view()});
  const std::vector<float> values_wanted = read_all(a.input());
  EXPECT_EQ(run_on(op, in).values[0], values_wanted);
  op.result = Logits::Yields::argmax;
  const std::vector<std::int32_t> ids = run_on(op, in).integers[0];
  for (std::size_t r = 0; r < 3; ++r) {
    const auto row = values_wanted.begin() + static_cast<std::ptrdiff_t>(5 * r);
    EXPECT_EQ(ids[r], std::max_element(row, row + 5) - row);
  }
}

TEST(NormMatmul, RefusesAHalfPair) {
  EXPECT_THAT(refusal(NormMatmul{}, {f32({2, 4}), f32({4}), f32({3, 4})}), HasSubstr("number of operands is 3"));
  EXPECT_THAT(refusal(NormMatmul{}, {f32({2, 4}), f32({4}), TensorDesc::absent(), TensorDesc::absent()}),
              HasSubstr("w (operand 2) is absent"));
  EXPECT_THAT(refusal(NormMatmul{}, {f32({2, 4}), f32({4}), f32({3, 4}), f32({4})}), HasSubstr("(operand 3)"));
}

TEST(MatmulAdd, NamesTheOperandThatIsWrong) {
  EXPECT_THAT(refusal(MatmulAdd{}, {f32({2, 4}), f32({3, 4}), TensorDesc::absent(), f32({3, 2})}),
              HasSubstr("matmul_add: residual is f32 [3, 2], wanted shape [2, 3]"));
  EXPECT_THAT(refusal(MatmulAdd{}, {f32({2, 4}), f32({3, 5}), TensorDesc::absent(), f32({2, 3})}),
              HasSubstr("matmul_add: quant_matmul: w"));
}

}  // namespace
}  // namespace weft
