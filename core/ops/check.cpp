// Messages of operand checks.
#include "core/ops/check.hpp"

namespace weft {

OperandChecks::OperandChecks(std::string_view op, std::span<const Port> ports, TensorSpan in)
    : op_(op), ports_(ports), in_(in) {
  const bool repeats = ports.back().kind == PortKind::repeated;
  if (repeats ? in.size() < ports.size() : in.size() != ports.size()) {
    error_ = Error{ErrorCode::invalid_argument, fmt::format("{}: {} operands, wanted {}{}", op, in.size(),
                                                            repeats ? "at least " : "", ports.size())};
    return;
  }
  for (std::size_t i = 0; i < in.size() && ok(); ++i) {
    const TensorDesc& desc = in[i];
    if (!desc.present()) {
      if (port(i).kind == PortKind::required) fault(i, "a tensor");
    } else if (desc.shape.rank() == 0) {
      fault(i, "at least one dimension");
    } else if (desc.width() > 1 && desc.strides[desc.shape.rank() - 1] != 1) {
      fault(i, "elements of a row side by side (innermost stride 1)");
    }
  }
}

const Port& OperandChecks::port(std::size_t i) const { return ports_[i < ports_.size() ? i : ports_.size() - 1]; }

bool OperandChecks::skips(std::size_t i) const { return !ok() || i >= in_.size() || !in_[i].present(); }

OperandChecks& OperandChecks::fault(std::size_t i, std::string_view wanted) {
  const std::string which = port(i).kind == PortKind::repeated ? fmt::format(" (operand {})", i) : std::string();
  error_ = Error{ErrorCode::invalid_argument,
                 fmt::format("{}: {}{} is {}, wanted {}", op_, port(i).name, which, to_string(in_[i]), wanted)};
  return *this;
}

OperandChecks& OperandChecks::that(std::size_t i, bool holds, std::string_view wanted) {
  return skips(i) || holds ? *this : fault(i, wanted);
}

OperandChecks& OperandChecks::that(bool holds, std::string_view subject, std::string_view found,
                                   std::string_view wanted) {
  if (ok() && !holds) {
    error_ = Error{ErrorCode::invalid_argument, fmt::format("{}: {} is {}, wanted {}", op_, subject, found, wanted)};
  }
  return *this;
}

OperandChecks& OperandChecks::activation(std::size_t i) {
  if (skips(i)) return *this;
  return that(i, in_[i].dtype == DType::f32 || in_[i].dtype == DType::f16, "f32 or f16");
}

OperandChecks& OperandChecks::any_float(std::size_t i) {
  return skips(i) ? *this : that(i, is_float(in_[i].dtype), "f32, f16 or bf16");
}

OperandChecks& OperandChecks::weight(std::size_t i) {
  if (skips(i)) return *this;
  const DType type = in_[i].dtype;
  that(i, is_float(type) || is_quantised(type), "a float or block-quantised type");
  if (!ok()) return *this;
  const std::int64_t block = info(type).block_elements;
  return that(i, in_[i].width() % block == 0, fmt::format("rows of whole blocks of {} elements", block));
}

OperandChecks& OperandChecks::type(std::size_t i, DType wanted) {
  return skips(i) ? *this : that(i, in_[i].dtype == wanted, name_of(wanted));
}

OperandChecks& OperandChecks::rank(std::size_t i, std::size_t wanted) {
  if (skips(i)) return *this;
  return that(i, in_[i].shape.rank() == wanted, fmt::format("{} dimensions: {}", wanted, port(i).shape));
}

OperandChecks& OperandChecks::shape(std::size_t i, const Shape& wanted) {
  return skips(i) ? *this : that(i, in_[i].shape == wanted, fmt::format("shape {}", to_string(wanted)));
}

OperandChecks& OperandChecks::vector(std::size_t i, Dim size) { return type(i, DType::f32).shape(i, {size}); }

OperandChecks& OperandChecks::integers(std::size_t i, Dim size) { return type(i, DType::i32).shape(i, {size}); }

OperandChecks& OperandChecks::matrix(std::size_t i, Dim inner_size) {
  return weight(i).rank(i, 2).width(i, inner_size);
}

OperandChecks& OperandChecks::width(std::size_t i, Dim wanted) {
  if (skips(i)) return *this;
  return that(i, in_[i].shape.width() == wanted, fmt::format("an innermost size of {}", to_string(Shape{wanted})));
}

Dim OperandChecks::dim(std::size_t i, std::size_t axis) const {
  return skips(i) || axis >= in_[i].shape.rank() ? Dim(0) : in_[i].shape[axis];
}

Dim OperandChecks::inner(std::size_t i) const { return skips(i) ? Dim(0) : in_[i].shape.width(); }

Result<TensorDescs> OperandChecks::result(TensorDescs outputs) const {
  if (error_) return error();
  return outputs;
}

}  // namespace weft
