// The left side of a matmul: rows of x, normed where asked for, kept as f32 rows, as int8 tiles, or as both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/matmul/matmul_step.hpp"
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {

/// Where prepared activations lie; null where they aren't needed.
struct PreparedRows {
  std::byte* int8 = nullptr;
  std::byte* remainders = nullptr;  ///< second codes of int8, remainder_bytes(k) a token
  float* full = nullptr;            ///< rows `full_stride` apart
};

class ActivationRows {
 public:
  ActivationRows() = default;
  ActivationRows(const MatmulSpec& spec, const MatmulVariant& variant, std::int64_t k, bool int8, bool full);

  [[nodiscard]] std::int64_t full_stride() const { return full_stride_; }
  [[nodiscard]] std::size_t int8_bytes(std::int64_t tokens) const;
  [[nodiscard]] std::size_t remainder_list_bytes(std::int64_t tokens) const;
  [[nodiscard]] std::size_t full_bytes(std::int64_t tokens) const;
  /// Bytes that prepare() works in.
  [[nodiscard]] std::size_t buffer_bytes() const;
  /// Prepares row `token` of `tokens` of x.
  void prepare(const OperandRows& x, const float* norm_weight, std::int64_t token, const PreparedRows& to,
               std::byte* buffer) const;

 private:
  std::optional<MatmulSpec::Norm> norm_;
  MatmulVariant variant_;
  std::int64_t k_ = 0;
  std::int64_t full_stride_ = 0;
  bool int8_ = false;
  bool full_ = false;
};

}  // namespace weft::cpu
