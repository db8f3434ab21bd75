// The table of element types.
#include "core/dtype.hpp"

#include <array>

namespace weft {
namespace {

constexpr std::array<DTypeInfo, 30> table{{
    {DType::none, "none", 1, 0},          {DType::f32, "f32", 1, 4},          {DType::f16, "f16", 1, 2},
    {DType::bf16, "bf16", 1, 2},          {DType::i32, "i32", 1, 4},          {DType::q4_0, "q4_0", 32, 18},
    {DType::q4_1, "q4_1", 32, 20},        {DType::q5_0, "q5_0", 32, 22},      {DType::q5_1, "q5_1", 32, 24},
    {DType::q8_0, "q8_0", 32, 34},        {DType::q4_k, "q4_k", 256, 144},    {DType::q5_k, "q5_k", 256, 176},
    {DType::q6_k, "q6_k", 256, 210},      {DType::q2_k, "q2_k", 256, 84},     {DType::q3_k, "q3_k", 256, 110},
    {DType::q8_k, "q8_k", 256, 292},      {DType::iq1_s, "iq1_s", 256, 50},   {DType::iq1_m, "iq1_m", 256, 56},
    {DType::iq2_xxs, "iq2_xxs", 256, 66}, {DType::iq2_xs, "iq2_xs", 256, 74}, {DType::iq2_s, "iq2_s", 256, 82},
    {DType::iq3_xxs, "iq3_xxs", 256, 98}, {DType::iq3_s, "iq3_s", 256, 110},  {DType::iq4_nl, "iq4_nl", 32, 18},
    {DType::iq4_xs, "iq4_xs", 256, 136},  {DType::tq1_0, "tq1_0", 256, 54},   {DType::tq2_0, "tq2_0", 256, 66},
    {DType::mxfp4, "mxfp4", 32, 17},      {DType::nvfp4, "nvfp4", 64, 36},    {DType::state, "state", 1, 1},
}};

constexpr std::array weights{DType::f32,   DType::f16,     DType::bf16,  DType::q4_0,   DType::q4_1,    DType::q5_0,
                             DType::q5_1,  DType::q8_0,    DType::q2_k,  DType::q3_k,   DType::q4_k,    DType::q5_k,
                             DType::q6_k,  DType::q8_k,    DType::iq1_s, DType::iq1_m,  DType::iq2_xxs, DType::iq2_xs,
                             DType::iq2_s, DType::iq3_xxs, DType::iq3_s, DType::iq4_nl, DType::iq4_xs,  DType::tq1_0,
                             DType::tq2_0, DType::mxfp4,   DType::nvfp4};

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
