// Checks of operands that ops' infer functions share.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/op.hpp"

namespace weft {

/// Collects the first fault of an op's operands: a message names op, operand, found and wanted. After a fault every
/// check does nothing and every question answers with zeros, so checks are written one after the other. Absent
/// optional operands pass all checks.
class OperandChecks {
 public:
  /// Checks the number of operands, that required ones are there, and that rows are contiguous.
  OperandChecks(std::string_view op, std::span<const Port> ports, TensorSpan in);

  OperandChecks& activation(std::size_t i);  ///< f32 or f16
  OperandChecks& any_float(std::size_t i);   ///< f32, f16 or bf16
  OperandChecks& weight(std::size_t i);      ///< a float or whole blocks of a quantised type
  OperandChecks& type(std::size_t i, DType wanted);
  OperandChecks& rank(std::size_t i, std::size_t wanted);
  OperandChecks& shape(std::size_t i, const Shape& wanted);
  OperandChecks& vector(std::size_t i, Dim size);        ///< f32 [size]
  OperandChecks& integers(std::size_t i, Dim size);      ///< i32 [size]
  OperandChecks& matrix(std::size_t i, Dim inner_size);  ///< a weight [any, inner_size]
  OperandChecks& width(std::size_t i, Dim wanted);
  /// A rule of the op's own: `wanted` says what would be right, `found` what there is.
  OperandChecks& that(bool holds, std::string_view subject, std::string_view found, std::string_view wanted);
  OperandChecks& that(std::size_t i, bool holds, std::string_view wanted);

  [[nodiscard]] Dim dim(std::size_t i, std::size_t axis) const;
  [[nodiscard]] Dim inner(std::size_t i) const;
  [[nodiscard]] bool ok() const { return !error_; }
  [[nodiscard]] tl::unexpected<Error> error() const { return tl::unexpected<Error>(*error_); }
  /// `outputs` when all is well, else the fault.
  [[nodiscard]] Result<TensorDescs> result(TensorDescs outputs) const;

 private:
  [[nodiscard]] bool skips(std::size_t i) const;
  [[nodiscard]] const Port& port(std::size_t i) const;
  OperandChecks& fault(std::size_t i, std::string_view wanted);

  std::string_view op_;
  std::span<const Port> ports_;
  TensorSpan in_;
  std::optional<Error> error_;
};

template <class T>
[[nodiscard]] OperandChecks check_operands(const T& /*op*/, TensorSpan in) {
  return OperandChecks(T::name, T::inputs, in);
}

}  // namespace weft
