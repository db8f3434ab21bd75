// Sizes that follow symbols.
#include "backends/opencl/launch.hpp"

#include <gtest/gtest.h>

#include "backends/opencl/ops/kv_append/cache_plan.hpp"
#include "core/kv_cache.hpp"

namespace weft::opencl {
namespace {

SymbolValues tokens(std::int64_t n) { return SymbolValues().set(Symbol::tokens, n); }

TEST(Size, FollowsItsSymbol) {
  const Size size(Dim(512, Symbol::tokens));
  EXPECT_EQ(size.value(tokens(7)), 7);
  EXPECT_EQ(size.times(9).value(tokens(7)), 63);
  EXPECT_EQ(size.pieces(8).value(tokens(7)), 1);
  EXPECT_EQ(size.pieces(8).value(tokens(9)), 2);
  EXPECT_EQ(size.rounded_up(64).value(tokens(65)), 128);
  EXPECT_EQ(size.value(tokens(0)), 0);
  EXPECT_EQ(size.pieces(8).value(tokens(0)), 0);
}

TEST(Size, IsANumberWithoutOne) {
  EXPECT_EQ(Size(5).value({}), 5);
  EXPECT_EQ(Size(Dim(5)).rounded_up(4).value({}), 8);
  EXPECT_TRUE(Size(Dim(5)).fixed());
  EXPECT_FALSE(Size(Dim(5, Symbol::outputs)).fixed());
}

TEST(Size, PutsTheCachesValuesWhereTheCacheDoes) {
  const CacheSpec spec{.k_type = DType::f16, .v_type = DType::f32, .kv_heads = 3, .dk = 80, .dv = 64};
  const TensorDesc state = TensorDesc::dense(DType::state, {Dim(4096, Symbol::kv_rows)});
  for (const std::int64_t rows : {1, 255, 256, 777}) {
    const SymbolValues symbols = SymbolValues().set(Symbol::kv_rows, rows);
    EXPECT_EQ(static_cast<std::size_t>(v_plane_offset(spec, state).value(symbols)), cache_planes(spec, rows).v_offset);
  }
}

TEST(RowShapes, RightAlignLeadingDimensions) {
  const auto shape = row_shape(TensorDesc::dense(DType::f32, {Dim(8, Symbol::tokens), 3, 64}));
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->rows.value(tokens(5)), 15);
  EXPECT_EQ(shape->strides, (std::array<std::int64_t, 3>{0, 192, 64}));
  EXPECT_EQ(row_shape(TensorDesc::dense(DType::f32, {7}))->rows.value({}), 1);
  EXPECT_FALSE(row_shape(TensorDesc::dense(DType::f32, {Dim(8, Symbol::tokens), Dim(8, Symbol::outputs), 64})));
}

TEST(RowShapes, BroadcastByStrideZero) {
  const TensorDesc a = TensorDesc::dense(DType::f32, {4, 3, 8});
  EXPECT_EQ(broadcast_strides(a, TensorDesc::dense(DType::f32, {8})), (std::array<std::int64_t, 3>{0, 0, 0}));
  EXPECT_EQ(broadcast_strides(a, TensorDesc::dense(DType::f32, {1, 3, 8})), (std::array<std::int64_t, 3>{0, 0, 8}));
  EXPECT_EQ(broadcast_strides(a, TensorDesc::dense(DType::f32, {4, 1, 8})), (std::array<std::int64_t, 3>{0, 8, 0}));
  EXPECT_EQ(broadcast_strides(a, a), (std::array<std::int64_t, 3>{0, 24, 8}));
}

}  // namespace
}  // namespace weft::opencl
