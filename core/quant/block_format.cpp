// The table of formats, and rows decoded through it.
#include "core/quant/block_format.hpp"

#include <cassert>
#include <cstring>

#include "core/half.hpp"
#include "core/quant/formats.hpp"

namespace weft {
namespace {

constexpr std::size_t type_count = static_cast<std::size_t>(DType::state) + 1;
using Table = std::array<BlockFormat, type_count>;

Table make_table() {
  Table table{};
  for (const BlockFormat& format :
       {f32_format(),   f16_format(),   bf16_format(),    q4_0_format(),   q4_1_format(),  q5_0_format(),
        q5_1_format(),  q8_0_format(),  q4_k_format(),    q5_k_format(),   q6_k_format(),  q2_k_format(),
        q3_k_format(),  q8_k_format(),  iq4_nl_format(),  iq4_xs_format(), tq2_0_format(), tq1_0_format(),
        mxfp4_format(), nvfp4_format(), iq2_xxs_format(), iq2_xs_format(), iq2_s_format(), iq3_xxs_format(),
        iq3_s_format(), iq1_s_format(), iq1_m_format()}) {
    table[static_cast<std::size_t>(format.type)] = format;
  }
  return table;
}

}  // namespace

const BlockFormat& block_format(DType type) {
  static const Table table = make_table();
  const BlockFormat& format = table[static_cast<std::size_t>(type)];
  assert(format.decode != nullptr);
  return format;
}

namespace {

/// Rows of 16-bit numbers, without a call for each.
template <class Convert>
void decode_halves(const std::byte* row, std::span<float> out, Convert convert) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, row + 2 * i, sizeof bits);
    out[i] = convert(bits);
  }
}

}  // namespace

void decode_row(DType type, const std::byte* row, std::span<float> out) {
  if (type == DType::f32) {
    if (!out.empty()) std::memcpy(out.data(), row, out.size_bytes());
    return;
  }
  if (type == DType::f16) return decode_halves(row, out, [](std::uint16_t b) { return f16_to_f32(b); });
  if (type == DType::bf16) return decode_halves(row, out, [](std::uint16_t b) { return bf16_to_f32(b); });
  const DTypeInfo& sizes = info(type);
  const BlockFormat& format = block_format(type);
  const auto block = static_cast<std::size_t>(sizes.block_elements);
  assert(out.size() % block == 0);
  for (std::size_t i = 0; i < out.size(); i += block, row += sizes.block_bytes) format.decode(row, out.data() + i);
}

}  // namespace weft
