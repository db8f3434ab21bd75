// Rows of a table, straight from its stored type.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"
#include "core/quant/block_format.hpp"

namespace weft::cpu {
namespace {

class EmbedStep final : public Step {
 public:
  EmbedStep(StepPlan& plan, const Loops& loops)
      : scale_(plan.op<Embed>().scale),
        ids_(plan.inputs[0].desc),
        table_(plan.inputs[1].desc),
        y_(plan.outputs[0].desc),
        loops_(loops) {
    row_bytes_ = static_cast<std::size_t>(table_.width()) * sizeof(float);
    buffers_ = plan.reserve(row_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows table(table_, c.inputs[1], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    const auto* ids = reinterpret_cast<const std::int32_t*>(c.inputs[0]);
    const std::int64_t n = table.width();
    auto* buffer = reinterpret_cast<float*>(c.scratch + buffers_ + row_bytes_ * static_cast<std::size_t>(c.worker));
    const Share share = share_of(ids_.at(*c.symbols).shape.elements(), c);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      const std::byte* row = table.row(ids[i]);
      const float* values = buffer;
      if (is_quantised(table.dtype())) {
        decode_row(table.dtype(), row, {buffer, static_cast<std::size_t>(n)});
      } else {
        values = table.load(loops_, row, 0, n, buffer);
      }
      if (scale_ != 1.0F) {
        loops_.scale(scale_, values, buffer, n);
        values = buffer;
      }
      y.store(loops_, y.row(i), 0, n, values);
    }
  }

 private:
  float scale_;
  TensorDesc ids_, table_, y_;
  const Loops& loops_;
  std::size_t row_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<EmbedStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> embed_kernels() { return loop_kernels("embed", make); }

}  // namespace weft::cpu
