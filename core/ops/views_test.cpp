// Views, gathers, joins and arg-max against numbers worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/ops/argmax.hpp"
#include "core/ops/concat.hpp"
#include "core/ops/copy.hpp"
#include "core/ops/embed.hpp"
#include "core/ops/permute.hpp"
#include "core/ops/reshape.hpp"
#include "core/ops/run_op.hpp"
#include "core/ops/slice.hpp"

namespace weft {
namespace {

using sample::integers;
using sample::values;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace testing_ops;

SampleInput counting(const Shape& shape) {
  std::vector<float> numbers(static_cast<std::size_t>(shape.elements()));
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  return values(DType::f32, shape, std::move(numbers));
}

TEST(Slice, StartsWhereItsRangeStarts) {
  const auto view = Slice{1, 1, 2}.view(f32({3, 4, 5}));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->byte_offset, 5 * 4);
  EXPECT_EQ(view->desc.shape, (Shape{3, 2, 5}));
  EXPECT_EQ(view->desc.strides[0], 20);
  EXPECT_THAT(run(Slice{1, 1, 2}, {counting({2, 4})}).values[0], ElementsAre(1, 2, 5, 6));
  const auto blocks = Slice{1, 64, 32}.view(TensorDesc::dense(DType::q4_0, {3, 128}));
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->byte_offset, 36);
}

TEST(Slice, RefusesRangesThatAreNotThere) {
  EXPECT_THAT(refusal(Slice{2, 0, 1}, {f32({3, 4})}), HasSubstr("slice: axis is 2, wanted 0 to 1"));
  EXPECT_THAT(refusal(Slice{1, 3, 2}, {f32({3, 4})}), HasSubstr("slice: elements 3 to 5 of axis 1"));
  EXPECT_THAT(refusal(Slice{1, -1, 2}, {f32({3, 4})}), HasSubstr("slice: elements -1"));
  EXPECT_THAT(refusal(Slice{1, 16, 32}, {TensorDesc::dense(DType::q4_0, {3, 64})}), HasSubstr("block of 32"));
  EXPECT_THAT(refusal(Slice{0, 0, 1}, {f32({Dim(4, Symbol::tokens), Dim(4)})}), HasSubstr("no fixed size"));
}

TEST(Permute, ReordersLeadingDimensions) {
  const Permute heads_first{{1, 0, 2, 3}};
  EXPECT_THAT(run(heads_first, {counting({2, 3, 1})}).values[0], ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(refusal(Permute{{1, 0, 2, 3}}, {f32({2, 3})}), HasSubstr("innermost"));
  EXPECT_THAT(refusal(Permute{{0, 0, 2, 3}}, {f32({2, 3, 4})}), HasSubstr("order[1] is 0"));
}

TEST(Reshape, TakesASymbolsMaximumFromItsInput) {
  const Reshape op{{Dim(1, Symbol::tokens), Dim(3), Dim(4)}};
  const auto view = op.view(f32({Dim(512, Symbol::tokens), Dim(12)}));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->desc, f32({Dim(512, Symbol::tokens), Dim(3), Dim(4)}));
  EXPECT_THAT(refusal(op, {f32({512, 12})}), HasSubstr("wanted a dimension tokens"));
}

TEST(Reshape, SplitsRowsOfAView) {
  TensorDesc wide = f32({5, 6});
  wide.strides[0] = 10;
  const auto view = Reshape{{5, 2, 3}}.view(wide);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->desc.strides[0], 10);
  EXPECT_EQ(view->desc.strides[1], 3);
  EXPECT_THAT(refusal(Reshape{{30}}, {wide}), HasSubstr("copy it first"));
  EXPECT_THAT(refusal(Reshape{{5, 7}}, {f32({5, 6})}), HasSubstr("as many elements"));
  EXPECT_THAT(refusal(Reshape{{6, 16}}, {TensorDesc::dense(DType::q8_0, {3, 32})}), HasSubstr("whole blocks"));
}

TEST(Concat, JoinsRows) {
  EXPECT_THAT(run(Concat{}, {counting({2, 2}), values(DType::f32, {2, 1}, {10, 20})}).values[0],
              ElementsAre(0, 1, 10, 2, 3, 20));
  EXPECT_THAT(refusal(Concat{}, {f32({2, 2}), f32({3, 2})}), HasSubstr("concat: parts (operand 1)"));
  EXPECT_THAT(refusal(Concat{}, {f32({2, 2}), TensorDesc::dense(DType::f16, {2, 2})}), HasSubstr("wanted f32"));
  EXPECT_THAT(refusal(Concat{}, {f32({2, 2}), TensorDesc::absent()}), HasSubstr("part 1 is absent"));
  EXPECT_THAT(refusal(Concat{}, {}), HasSubstr("concat: 0 operands"));
}

TEST(Copy, MakesRowsDense) {
  EXPECT_THAT(run(Copy{}, {integers({3, -1, 7})}).integers[0], ElementsAre(3, -1, 7));
  TensorDesc strided = f32({3, 2});
  strided.strides[0] = 5;
  const auto y = Copy{}.infer(TensorDescs{strided});
  ASSERT_TRUE(y);
  EXPECT_EQ(y->front(), f32({3, 2}));
}

TEST(Embed, LooksUpAndScalesRows) {
  const SampleInput table = counting({3, 2});
  EXPECT_THAT(run(Embed{.scale = 2}, {integers({2, 0, 2}), table}).values[0], ElementsAre(8, 10, 0, 2, 8, 10));
  EXPECT_THAT(run(Embed{}, {integers({}), table}).values[0], ElementsAre());
  const Embed to_f16{.out_type = DType::f16};
  const auto y = to_f16.infer(TensorDescs{i32({Dim(4, Symbol::outputs)}), TensorDesc::dense(DType::q6_k, {100, 256})});
  ASSERT_TRUE(y);
  EXPECT_EQ(y->front(), TensorDesc::dense(DType::f16, {Dim(4, Symbol::outputs), Dim(256)}));
  EXPECT_THAT(refusal(Embed{}, {f32({2}), f32({3, 2})}), HasSubstr("embed: ids is f32 [2], wanted i32"));
}

TEST(Argmax, FirstOfTheLargestAndMinusOneForNaN) {
  const float nan = std::nanf("");
  EXPECT_THAT(
      run(Argmax{}, {values(DType::f32, {4, 3}, {1, 5, 5, -1, -1, -1, 0, nan, 9, -INFINITY, 0, INFINITY})}).integers[0],
      ElementsAre(1, 0, -1, 2));
  EXPECT_THAT(refusal(Argmax{}, {f32({3, 0})}), HasSubstr("at least one element"));
}

}  // namespace
}  // namespace weft
