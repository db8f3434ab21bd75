// Element types of tensors: plain numbers and block-quantised formats, with their sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace weft {

enum class DType : std::uint8_t {
  none,  ///< no tensor: an absent optional operand
  f32,
  f16,
  bf16,
  i32,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q4_k,
  q5_k,
  q6_k,
  q2_k,
  q3_k,
  q8_k,
  iq1_s,
  iq1_m,
  iq2_xxs,
  iq2_xs,
  iq2_s,
  iq3_xxs,
  iq3_s,
  iq4_nl,
  iq4_xs,
  tq1_0,
  tq2_0,
  mxfp4,
  nvfp4,
  state,  ///< opaque bytes owned by a session, described by an op attribute (KV cache)
};

/// One element type. A plain type is a block of one element.
struct DTypeInfo {
  DType type = DType::none;
  std::string_view name;
  std::int64_t block_elements = 1;
  std::int64_t block_bytes = 0;
};

[[nodiscard]] const DTypeInfo& info(DType type);
[[nodiscard]] inline std::string_view name_of(DType type) { return info(type).name; }
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

/// Types that a weight may have: f32, f16, bf16 and every block format.
[[nodiscard]] std::span<const DType> weight_types();

/// True for block-quantised formats (several elements share scales).
[[nodiscard]] inline bool is_quantised(DType type) { return info(type).block_elements > 1; }
[[nodiscard]] inline bool is_float(DType type) {
  return type == DType::f32 || type == DType::f16 || type == DType::bf16;
}

/// Bytes of a row of `elements`, which must be a multiple of the block.
[[nodiscard]] inline std::int64_t row_bytes(DType type, std::int64_t elements) {
  const DTypeInfo& t = info(type);
  return elements / t.block_elements * t.block_bytes;
}

}  // namespace weft
