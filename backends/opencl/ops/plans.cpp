// The op table, and shapes and parameters for plans.
#include "backends/opencl/ops/plans.hpp"

#include <bit>

namespace weft::opencl {

std::span<const KernelEntry> kernel_entries() {
  static constexpr std::array entries{
      KernelEntry{"activation", "elements", plan_activation},
      KernelEntry{"add", "elements", plan_add},
      KernelEntry{"add_rms_norm", "rows", plan_add_rms_norm},
      KernelEntry{"argmax", "rows", plan_argmax},
      KernelEntry{"attention", "lanes", plan_attention_lanes},
      KernelEntry{"attention", "per_item", plan_attention_per_item},
      KernelEntry{"cast", "elements", plan_cast},
      KernelEntry{"concat", "parts", plan_concat},
      KernelEntry{"copy", "rows", plan_copy},
      KernelEntry{"embed", "rows", plan_embed},
      KernelEntry{"glu", "elements", plan_glu},
      KernelEntry{"kv_append", "heads", plan_kv_append},
      KernelEntry{"logits", "rows", plan_logits},
      KernelEntry{"logits", "tile", plan_logits},
      KernelEntry{"matmul_add", "rows", plan_matmul_add},
      KernelEntry{"matmul_add", "tile", plan_matmul_add},
      KernelEntry{"mul", "elements", plan_mul},
      KernelEntry{"norm_matmul", "normed", plan_norm_matmul_normed},
      KernelEntry{"norm_matmul", "rows", plan_norm_matmul},
      KernelEntry{"norm_matmul", "tile", plan_norm_matmul},
      KernelEntry{"norm_matmul_glu", "normed", plan_norm_matmul_glu_normed},
      KernelEntry{"norm_matmul_glu", "rows", plan_norm_matmul_glu},
      KernelEntry{"norm_matmul_glu", "tile", plan_norm_matmul_glu},
      KernelEntry{"qk_norm_rope_append", "heads", plan_qk_norm_rope_append},
      KernelEntry{"quant_matmul", "clblast", plan_quant_matmul_clblast},
      KernelEntry{"quant_matmul", "rows", plan_quant_matmul},
      KernelEntry{"quant_matmul", "tile", plan_quant_matmul},
      KernelEntry{"rms_norm", "rows", plan_rms_norm},
      KernelEntry{"rope", "heads", plan_rope},
      KernelEntry{"scale", "elements", plan_scale},
      KernelEntry{"softcap", "elements", plan_softcap},
  };
  return entries;
}

Result<RowShape> row_shape(const TensorDesc& desc) {
  RowShape shape;
  const std::size_t leading = desc.shape.rank() > 0 ? desc.shape.rank() - 1 : 0;
  for (std::size_t i = 0; i < leading; ++i) {
    const std::size_t at = 3 - leading + i;
    const Dim& dim = desc.shape[i];
    shape.dims[at] = Size(dim);
    shape.strides[at] = desc.strides[i];
    if (dim.symbol == Symbol::none) {
      shape.rows = shape.rows.times(dim.max);
    } else if (shape.rows.fixed()) {
      shape.rows.symbol = dim.symbol;
    } else {
      return fail(ErrorCode::unsupported, "{} has two symbolic leading dimensions", to_string(desc));
    }
  }
  return shape;
}

std::array<std::int64_t, 3> broadcast_strides(const TensorDesc& a, const TensorDesc& b) {
  std::array<std::int64_t, 3> strides{};
  const std::size_t leading = b.shape.rank() > 0 ? b.shape.rank() - 1 : 0;
  const std::size_t a_leading = a.shape.rank() > 0 ? a.shape.rank() - 1 : 0;
  for (std::size_t i = 0; i < leading && i < a_leading; ++i) {
    const Dim& own = b.shape[leading - 1 - i];
    const bool repeated = own == Dim(1) && a.shape[a_leading - 1 - i] != own;
    strides[2 - i] = repeated ? 0 : b.strides[leading - 1 - i];
  }
  return strides;
}

Result<ElementTile> element_tile(const StepRequest& request) {
  const auto lanes = lanes_of(request);
  if (!lanes) return error_of(lanes);
  const auto neighbours = count_of(request, "NEIGHBOURS", 256);
  if (!neighbours) return error_of(neighbours);
  return ElementTile{*lanes, *neighbours};
}

void shape_elements(Launch& launch, const ElementTile& tile, const Size& width, const Size& rows) {
  launch.define("LANES", tile.lanes).define("NEIGHBOURS", tile.neighbours);
  Size groups = width.pieces(tile.neighbours * tile.lanes);
  groups.multiple = tile.lanes;
  launch.global = {groups, rows, Size(1)};
  launch.local[0] = static_cast<std::size_t>(tile.lanes);
}

Result<std::int64_t> lanes_of(const StepRequest& request) {
  auto lanes = count_of(request, "LANES", 256);
  if (lanes && !std::has_single_bit(static_cast<std::uint64_t>(*lanes))) {
    return fail(ErrorCode::invalid_argument, "{}: LANES is {}, wanted a power of two", request.step.selection.rule,
                *lanes);
  }
  return lanes;
}

Result<std::int64_t> count_of(const StepRequest& request, std::string_view name, std::int64_t most) {
  const std::int64_t count = request.parameter(name, 1);
  if (count >= 1 && count <= most) return count;
  return fail(ErrorCode::invalid_argument, "{}: {} is {}, wanted 1 to {}", request.step.selection.rule, name, count,
              most);
}

}  // namespace weft::opencl
