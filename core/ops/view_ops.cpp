// View ops run as copies.
#include "core/ops/view_ops.hpp"

#include "core/ops/check.hpp"
#include "core/ops/elementwise.hpp"
#include "core/ops/rows.hpp"

namespace weft::view_ops {

Result<TensorDesc> only_input(std::string_view op, std::span<const Port> ports, TensorSpan in) {
  OperandChecks check(op, ports, in);
  if (check.ok()) check.that(0, in[0].dtype != DType::state, "anything but a state");
  if (!check.ok()) return check.error();
  return in[0];
}

void copy_view(const Result<View>& view, ConstHostViews in, MutableHostViews out) {
  assert(view.has_value());
  copy_elements({view->desc, in[0].data + view->byte_offset}, out[0]);
}

Cost cost(const Result<View>& view) {
  if (!view) return {};
  const double bytes = elementwise::bytes_of({&view->desc, 1});
  return {.flops = 0, .bytes_read = bytes, .bytes_written = bytes};
}

Facts facts(TensorSpan in) { return elementwise::unary_facts(in); }

}  // namespace weft::view_ops
