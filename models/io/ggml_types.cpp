// The table of tensor types, indexed by id.
#include "models/io/ggml_types.hpp"

#include <array>

namespace weft::models {
namespace {

constexpr std::uint64_t removed_type = 0;

constexpr std::array<GgmlType, 43> table{{
    {0, "F32", 1, 4, DType::f32},
    {1, "F16", 1, 2, DType::f16},
    {2, "Q4_0", 32, 18, DType::q4_0},
    {3, "Q4_1", 32, 20, DType::q4_1},
    {4, "Q4_2", removed_type, 0, DType::none},
    {5, "Q4_3", removed_type, 0, DType::none},
    {6, "Q5_0", 32, 22, DType::q5_0},
    {7, "Q5_1", 32, 24, DType::q5_1},
    {8, "Q8_0", 32, 34, DType::q8_0},
    {9, "Q8_1", 32, 36, DType::none},
    {10, "Q2_K", 256, 84, DType::q2_k},
    {11, "Q3_K", 256, 110, DType::q3_k},
    {12, "Q4_K", 256, 144, DType::q4_k},
    {13, "Q5_K", 256, 176, DType::q5_k},
    {14, "Q6_K", 256, 210, DType::q6_k},
    {15, "Q8_K", 256, 292, DType::q8_k},
    {16, "IQ2_XXS", 256, 66, DType::iq2_xxs},
    {17, "IQ2_XS", 256, 74, DType::iq2_xs},
    {18, "IQ3_XXS", 256, 98, DType::iq3_xxs},
    {19, "IQ1_S", 256, 50, DType::iq1_s},
    {20, "IQ4_NL", 32, 18, DType::iq4_nl},
    {21, "IQ3_S", 256, 110, DType::iq3_s},
    {22, "IQ2_S", 256, 82, DType::iq2_s},
    {23, "IQ4_XS", 256, 136, DType::iq4_xs},
    {24, "I8", 1, 1, DType::none},
    {25, "I16", 1, 2, DType::none},
    {26, "I32", 1, 4, DType::i32},
    {27, "I64", 1, 8, DType::none},
    {28, "F64", 1, 8, DType::none},
    {29, "IQ1_M", 256, 56, DType::iq1_m},
    {30, "BF16", 1, 2, DType::bf16},
    {31, "Q4_0_4_4", removed_type, 0, DType::none},
    {32, "Q4_0_4_8", removed_type, 0, DType::none},
    {33, "Q4_0_8_8", removed_type, 0, DType::none},
    {34, "TQ1_0", 256, 54, DType::tq1_0},
    {35, "TQ2_0", 256, 66, DType::tq2_0},
    {36, "IQ4_NL_4_4", removed_type, 0, DType::none},
    {37, "IQ4_NL_4_8", removed_type, 0, DType::none},
    {38, "IQ4_NL_8_8", removed_type, 0, DType::none},
    {39, "MXFP4", 32, 17, DType::mxfp4},
    {40, "NVFP4", 64, 36, DType::nvfp4},
    {41, "Q1_0", 128, 18, DType::none},
    {42, "Q2_0", 64, 18, DType::none},
}};

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t id) { return id < table.size() ? &table[id] : nullptr; }

std::optional<std::uint32_t> ggml_type_of(DType type) {
  if (type == DType::none) return std::nullopt;
  for (const GgmlType& t : table) {
    if (t.dtype == type) return t.id;
  }
  return std::nullopt;
}

}  // namespace weft::models
