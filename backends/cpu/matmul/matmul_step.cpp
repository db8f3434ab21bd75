// Units of a matmul are panels of 16 outputs. A few tokens: each worker prepares the activations for itself and streams
// its own share of the weights. Many: activations are prepared together, then units of a panel and some tokens are
// taken by whoever is free. Either way an output's value depends on its own row and token only.
#include "backends/cpu/matmul/matmul_step.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "backends/cpu/matmul/activation_rows.hpp"
#include "backends/cpu/weight_store.hpp"

namespace weft::cpu {
namespace {

constexpr std::int64_t private_tokens = 2;        // up to here a worker's own copy is cheaper than a barrier
constexpr std::int64_t static_tokens = 8;         // up to here weights are streamed in fixed shares
constexpr std::int64_t chunk_bytes = 768 * 1024;  // of activations that should stay in the second-level cache

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

/// One weight and where its results go.
struct Product {
  MatmulSpec::Product operands;
  TensorDesc desc;
  bool panels = false;  ///< packed; else rows as they are
  PanelSizes sizes;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t units = 0;
  std::int64_t unit_bytes = 0;
  std::shared_ptr<const PackedWeight> packed;  ///< of constants
  std::size_t packed_offset = 0;               ///< in scratch, of weights that are packed by each run
};

class MatmulStep final : public Step {
 public:
  MatmulStep(StepPlan& plan, const MatmulSpec& spec, const MatmulVariant& variant, std::vector<Product> products)
      : spec_(spec), variant_(variant), products_(std::move(products)), x_desc_(plan.inputs[spec.x].desc) {
    for (const StepOperand& output : plan.outputs) y_descs_.push_back(output.desc);
    if (spec_.residual) residual_desc_ = plan.inputs[*spec_.residual].desc;
    plan_scratch(plan);
  }

  int phases(const SymbolValues& symbols) const override {
    return (together(tokens(symbols)) ? 2 : 1) + (spec_.argmax ? 1 : 0);
  }

  std::size_t packed_bytes() const override {
    std::size_t bytes = 0;
    for (const Product& p : products_) bytes += p.packed ? p.packed->bytes() : 0;
    return bytes;
  }

  void run(const StepContext& c) const override {
    const OperandRows x(x_desc_, c.inputs[spec_.x], *c.symbols);
    const std::int64_t t = x.count();
    const int last = phases(*c.symbols) - 1;
    if (t == 0) return;
    if (spec_.argmax && c.phase == last) return reduce(c, t);
    if (!together(t)) {
      const PreparedRows mine = own_rows(c);
      prepare(c, x, {0, t}, mine);
      return multiply_share(c, t, mine);
    }
    const PreparedRows shared = shared_rows(c);
    if (c.phase == 0) {
      prepare(c, x, share_of(t, c), shared);
      return pack(c);
    }
    if (t <= static_tokens) return multiply_share(c, t, shared);
    multiply_units(c, t, shared);
  }

 private:
  struct OutputTarget {
    OperandRows y;
    OperandRows residual;
  };

  void plan_scratch(StepPlan& plan) {
    bool int8 = false;
    bool full = false;
    for (Product& p : products_) {
      const bool rounded = p.panels && variant_.activations == ActivationPrecision::int8;
      (rounded ? int8 : full) = true;
      if (p.panels && !p.packed) {
        packs_ = true;
        p.packed_offset = plan.reserve(static_cast<std::size_t>(p.units) * p.sizes.bytes);
      }
    }
    const std::int64_t k = products_.front().k;
    const std::int64_t most = std::max<std::int64_t>(x_desc_.rows(), 1);
    rows_ = ActivationRows(spec_, variant_, k, int8, full);
    const auto token_bytes = static_cast<std::int64_t>(rows_.int8_bytes(1) + rows_.full_bytes(1));
    chunk_ = std::clamp(chunk_bytes / std::max<std::int64_t>(token_bytes, 1) / 12 * 12, std::int64_t{24},
                        round_up(most, 12) + 12);
    shared_int8_ = plan.reserve(rows_.int8_bytes(most));
    shared_remainders_ = plan.reserve(rows_.remainder_list_bytes(most));
    shared_full_ = plan.reserve(rows_.full_bytes(most));
    plan_worker_scratch(plan);
    if (spec_.argmax) values_ = plan.reserve(static_cast<std::size_t>(most * products_[0].n) * sizeof(float));
  }

  void plan_worker_scratch(StepPlan& plan) {
    StepPlan own;
    own_buffer_ = own.reserve(rows_.buffer_bytes());
    own_int8_ = own.reserve(rows_.int8_bytes(private_tokens));
    own_remainders_ = own.reserve(rows_.remainder_list_bytes(private_tokens));
    own_full_ = own.reserve(rows_.full_bytes(private_tokens));
    const std::size_t result_bytes = static_cast<std::size_t>(chunk_) * panel_rows * sizeof(float);
    own_results_ = {own.reserve(result_bytes), own.reserve(spec_.gate ? result_bytes : 0)};
    own_bytes_ = own.scratch_bytes();
    workers_ = plan.reserve(own_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  std::int64_t tokens(const SymbolValues& symbols) const { return OperandRows(x_desc_, nullptr, symbols).count(); }
  bool together(std::int64_t t) const { return packs_ || t > private_tokens; }

  std::byte* own(const StepContext& c, std::size_t offset) const {
    return c.scratch + workers_ + own_bytes_ * static_cast<std::size_t>(c.worker) + offset;
  }
  PreparedRows own_rows(const StepContext& c) const {
    return {own(c, own_int8_), own(c, own_remainders_), reinterpret_cast<float*>(own(c, own_full_))};
  }
  PreparedRows shared_rows(const StepContext& c) const {
    return {c.scratch + shared_int8_, c.scratch + shared_remainders_,
            reinterpret_cast<float*>(c.scratch + shared_full_)};
  }
  float* results(const StepContext& c, std::size_t which) const {
    return reinterpret_cast<float*>(own(c, own_results_[which]));
  }

  void prepare(const StepContext& c, const OperandRows& x, Share share, const PreparedRows& to) const {
    const auto* weight = spec_.norm ? reinterpret_cast<const float*>(c.inputs[spec_.norm->weight]) : nullptr;
    for (std::int64_t t = share.begin; t < share.end; ++t) rows_.prepare(x, weight, t, to, own(c, own_buffer_));
  }

  void pack(const StepContext& c) const {
    for (const Product& p : products_) {
      if (!p.panels || p.packed) continue;
      const ConstHostView weight{p.desc, c.inputs[p.operands.weight]};
      const Share share = share_of(p.units, c);
      for (std::int64_t i = share.begin; i < share.end; ++i) {
        pack_panel(weight, i,
                   {c.scratch + p.packed_offset + static_cast<std::size_t>(i) * p.sizes.bytes, p.sizes.bytes});
      }
    }
  }

  /// With a gate, both products of a panel are one unit of the first.
  std::size_t unit_lists() const { return spec_.gate ? 1 : products_.size(); }

  OutputTarget target(const StepContext& c, std::size_t product) const {
    OutputTarget to;
    if (!spec_.argmax) to.y = OperandRows(y_descs_[product], c.outputs[product], *c.symbols);
    if (spec_.residual) to.residual = OperandRows(residual_desc_, c.inputs[*spec_.residual], *c.symbols);
    return to;
  }

  /// This worker's share of all weights' bytes, for all tokens.
  void multiply_share(const StepContext& c, std::int64_t t, const PreparedRows& from) const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < unit_lists(); ++i) total += products_[i].units * products_[i].unit_bytes;
    const Share bytes = share_of(total, c);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < unit_lists(); ++i) {
      const Product& p = products_[i];
      const auto first = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(round_up(at - before, p.unit_bytes) / p.unit_bytes, 0, p.units);
      };
      const std::int64_t end = c.worker + 1 == c.workers ? p.units : first(bytes.end);
      const OutputTarget to = target(c, i);
      for (std::int64_t unit = first(bytes.begin); unit < end; ++unit) multiply(c, i, unit, {0, t}, from, to);
      before += p.units * p.unit_bytes;
    }
  }

  void multiply_units(const StepContext& c, std::int64_t t, const PreparedRows& from) const {
    std::int64_t units = 0;
    for (std::size_t i = 0; i < unit_lists(); ++i) units += products_[i].units;
    const std::int64_t chunks = (t + chunk_ - 1) / chunk_;
    for (std::int64_t id = c.take_unit(); id < units * chunks; id = c.take_unit()) {
      const std::int64_t begin = id / units * chunk_;
      std::int64_t unit = id % units;
      std::size_t product = 0;
      while (unit >= products_[product].units) unit -= products_[product++].units;
      multiply(c, product, unit, {begin, std::min(t, begin + chunk_)}, from, target(c, product));
    }
  }

  /// One panel of outputs for tokens [begin, end).
  void multiply(const StepContext& c, std::size_t product, std::int64_t unit, Share t, const PreparedRows& from,
                const OutputTarget& to) const {
    float* out = results(c, 0);
    dot(c, products_[product], unit, t, from, out);
    if (spec_.gate) {
      float* up = results(c, 1);
      dot(c, products_[1], unit, t, from, up);
      variant_.loops->glu(*spec_.gate, out, up, out, (t.end - t.begin) * panel_rows);
    }
    store(c, products_[product], unit, t, out, to);
  }

  void dot(const StepContext& c, const Product& p, std::int64_t unit, Share t, const PreparedRows& from,
           float* out) const {
    if (p.panels && variant_.activations == ActivationPrecision::int8) {
      dot_int8(c, p, unit, t, from, out);
    } else {
      dot_full(c, p, unit, t, from.full, out);
    }
    if (!p.operands.bias || c.inputs[*p.operands.bias] == nullptr) return;
    const auto* bias = reinterpret_cast<const float*>(c.inputs[*p.operands.bias]) + unit * panel_rows;
    const std::int64_t columns = std::min<std::int64_t>(panel_rows, p.n - unit * panel_rows);
    for (std::int64_t i = 0; i < t.end - t.begin; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) out[i * panel_rows + j] += bias[j];
    }
  }

  const std::byte* panel(const StepContext& c, const Product& p, std::int64_t unit) const {
    const std::byte* first = p.packed ? p.packed->data() : c.scratch + p.packed_offset;
    return first + static_cast<std::size_t>(unit) * p.sizes.bytes;
  }

  void dot_int8(const StepContext& c, const Product& p, std::int64_t unit, Share t, const PreparedRows& from,
                float* out) const {
    const MatmulCore& core = *variant_.core;
    const auto type = static_cast<std::size_t>(p.desc.dtype);
    const std::byte* weights = panel(c, p, unit);
    for (std::int64_t at = t.begin; at < t.end;) {
      const Tile tile = tile_at(core.tiles, at, t.end);
      float* to = out + (at - t.begin) * panel_rows;
      core.int8[type][tile.kind](weights, p.sizes, from.int8 + at * activation_bytes(p.k), to);
      for (int i = 0; i < core.tiles[tile.kind]; ++i) {
        const std::byte* list = from.remainders + (at + i) * remainder_bytes(p.k);
        if (*ConstRemainderView(list).count > 0) core.remainders[type](weights, p.sizes, list, to + i * panel_rows);
      }
      at += core.tiles[tile.kind];
    }
  }

  void dot_full(const StepContext& c, const Product& p, std::int64_t unit, Share t, const float* x, float* out) const {
    const MatmulCore& core = *variant_.core;
    const auto type = static_cast<std::size_t>(p.desc.dtype);
    const std::int64_t stride = rows_.full_stride();
    const std::int64_t row_stride = row_bytes(p.desc.dtype, p.desc.strides[0]);
    const FloatRows rows{c.inputs[p.operands.weight] + unit * panel_rows * row_stride, row_stride,
                         std::min<std::int64_t>(panel_rows, p.n - unit * panel_rows), p.k};
    for (std::int64_t at = t.begin; at < t.end;) {
      const Tile tile = tile_at(core.full_tiles, at, t.end);
      float* to = out + (at - t.begin) * panel_rows;
      if (p.panels) {
        core.full[type][tile.kind](panel(c, p, unit), p.sizes, x + at * stride, stride, to);
      } else {
        core.rows[type][tile.kind](rows, x + at * stride, stride, to);
      }
      at += core.full_tiles[tile.kind];
    }
  }

  void store(const StepContext& c, const Product& p, std::int64_t unit, Share t, float* out,
             const OutputTarget& to) const {
    const Loops& loops = *variant_.loops;
    const std::int64_t count = t.end - t.begin;
    const std::int64_t column = unit * panel_rows;
    const std::int64_t columns = std::min<std::int64_t>(panel_rows, p.n - column);
    if (spec_.scale != 1.0F) loops.scale(spec_.scale, out, out, count * panel_rows);
    if (spec_.softcap > 0) loops.softcap(spec_.softcap, out, out, count * panel_rows);
    auto* values = reinterpret_cast<float*>(c.scratch + values_);
    std::array<float, panel_rows> buffer{};
    for (std::int64_t i = 0; i < count; ++i) {
      float* row = out + i * panel_rows;
      if (spec_.argmax) {
        std::copy_n(row, columns, values + (t.begin + i) * p.n + column);
        continue;
      }
      if (to.residual.present()) {
        const float* r = to.residual.load(loops, to.residual.row(t.begin + i), column, columns, buffer.data());
        for (std::int64_t j = 0; j < columns; ++j) row[j] += r[j];
      }
      std::byte* y = to.y.row(t.begin + i);
      if (to.y.dtype() == DType::f32) {
        std::copy_n(row, columns, reinterpret_cast<float*>(y) + column);
      } else {
        to.y.store(loops, y, column, columns, row);
      }
    }
  }

  void reduce(const StepContext& c, std::int64_t t) const {
    const std::int64_t n = products_[0].n;
    const auto* values = reinterpret_cast<const float*>(c.scratch + values_);
    auto* ids = reinterpret_cast<std::int32_t*>(c.outputs[0]);
    const Share share = share_of(t, c);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      ids[i] = static_cast<std::int32_t>(variant_.loops->argmax(values + i * n, n));
    }
  }

  MatmulSpec spec_;
  MatmulVariant variant_;
  std::vector<Product> products_;
  TensorDesc x_desc_;
  TensorDesc residual_desc_;
  TensorDescs y_descs_;
  ActivationRows rows_;
  std::int64_t chunk_ = 0;
  bool packs_ = false;
  std::size_t shared_int8_ = 0, shared_remainders_ = 0, shared_full_ = 0, values_ = 0;
  std::size_t workers_ = 0, own_bytes_ = 0, own_buffer_ = 0, own_int8_ = 0, own_remainders_ = 0, own_full_ = 0;
  std::array<std::size_t, 2> own_results_{};
};

Result<Product> make_product(const StepPlan& plan, const MatmulSpec::Product& operands) {
  const StepOperand& weight = plan.inputs[operands.weight];
  Product p;
  p.operands = operands;
  p.desc = weight.desc;
  p.n = weight.desc.rows();
  p.k = weight.desc.width();
  p.units = panels_of(p.n);
  p.panels = plan.weights->layouts().layout_of(weight.desc, plan.step->call.precision) == WeightLayout::panel16;
  p.unit_bytes = std::max<std::int64_t>(1, panel_rows * row_bytes(weight.desc.dtype, p.k));
  if (p.panels != is_quantised(weight.desc.dtype)) {
    return fail(ErrorCode::unsupported, "cpu: no kernel for {} weights kept as {}; change the weight_layout rules",
                name_of(weight.desc.dtype), p.panels ? "panel16" : "rows");
  }
  if (!p.panels) return p;
  p.sizes = panel_sizes(weight.desc.dtype, p.k);
  if (!weight.constant) return p;
  auto packed = plan.weights->panels(weight.constant);
  if (!packed) return error_of(packed);
  p.packed = std::move(*packed);
  return p;
}

}  // namespace

Result<std::unique_ptr<Step>> make_matmul_step(StepPlan& plan, const MatmulSpec& spec, const MatmulVariant& variant) {
  std::vector<Product> products;
  for (const MatmulSpec::Product& operands : spec.products) {
    auto product = make_product(plan, operands);
    if (!product) return error_of(product);
    products.push_back(std::move(*product));
  }
  return std::make_unique<MatmulStep>(plan, spec, variant, std::move(products));
}

std::vector<Kernel> matmul_kernels(std::string_view op, SpecOf spec_of) {
  struct Named {
    std::string_view name;
    MatmulVariant variant;
  };
  constexpr auto int8 = ActivationPrecision::int8;
  constexpr auto full = ActivationPrecision::full;
  const Named variants[] = {
      {"int8_avx512_vnni", {&avx512_vnni_core(), &avx512_loops(), int8}},
      {"int8_avx_vnni", {&avx_vnni_core(), &avx2_loops(), int8}},
      {"int8_avx2", {&avx2_core(), &avx2_loops(), int8}},
      {"int8_portable", {&portable_core(), &portable_loops(), int8}},
      {"full_avx512", {&avx512_vnni_core(), &avx512_loops(), full}},
      {"full_avx2", {&avx2_core(), &avx2_loops(), full}},
      {"full_portable", {&portable_core(), &portable_loops(), full}},
  };
  std::vector<Kernel> kernels;
  for (const Named& named : variants) {
    kernels.push_back(
        {std::string(op), fmt::format("cpu/{}/{}", op, named.name), [spec_of, variant = named.variant](StepPlan& plan) {
           return make_matmul_step(plan, spec_of(plan), variant);
         }});
  }
  return kernels;
}

}  // namespace weft::cpu
