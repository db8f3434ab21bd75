// The table of element types.
#include "core/dtype.hpp"

#include <array>

namespace weft {
namespace {

constexpr std::array<DTypeInfo, 14> table{{
    {DType::none, "none", 1, 0},
    {DType::f32, "f32", 1, 4},
    {DType::f16, "f16", 1, 2},
    {DType::bf16, "bf16", 1, 2},
    {DType::i32, "i32", 1, 4},
    {DType::q4_0, "q4_0", 32, 18},
    {DType::q4_1, "q4_1", 32, 20},
    {DType::q5_0, "q5_0", 32, 22},
    {DType::q5_1, "q5_1", 32, 24},
    {DType::q8_0, "q8_0", 32, 34},
    {DType::q4_k, "q4_k", 256, 144},
    {DType::q5_k, "q5_k", 256, 176},
    {DType::q6_k, "q6_k", 256, 210},
    {DType::state, "state", 1, 1},
}};

constexpr std::array weights{DType::f32,  DType::f16,  DType::bf16, DType::q4_0, DType::q4_1, DType::q5_0,
                             DType::q5_1, DType::q8_0, DType::q4_k, DType::q5_k, DType::q6_k};

}  // namespace

const DTypeInfo& info(DType type) { return table[static_cast<std::size_t>(type)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& t : table) {
    if (t.name == name) return t.type;
  }
  return std::nullopt;
}

std::span<const DType> weight_types() { return weights; }

}  // namespace weft
