// Root-mean-square norm of rows.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {
namespace {

class RmsNormStep final : public Step {
 public:
  RmsNormStep(StepPlan& plan, const Loops& loops)
      : op_(plan.op<RmsNorm>()), x_(plan.inputs[0].desc), y_(plan.outputs[0].desc), loops_(loops) {
    row_bytes_ = static_cast<std::size_t>(x_.width()) * sizeof(float);
    buffers_ = plan.reserve(2 * row_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows x(x_, c.inputs[0], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    const auto* weight = reinterpret_cast<const float*>(c.inputs[1]);
    auto* loaded = reinterpret_cast<float*>(c.scratch + buffers_ + 2 * row_bytes_ * static_cast<std::size_t>(c.worker));
    float* computed = loaded + x.width();
    const Share share = share_of(x.count(), c);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      std::byte* to = y.row(i);
      float* target = y.target(to, 0, computed);
      loops_.rms_norm(x.load(loops_, x.row(i), 0, x.width(), loaded), weight, op_.eps, op_.weight_offset, target,
                      x.width());
      y.store(loops_, to, 0, x.width(), target);
    }
  }

 private:
  RmsNorm op_;
  TensorDesc x_, y_;
  const Loops& loops_;
  std::size_t row_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<RmsNormStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> rms_norm_kernels() { return loop_kernels("rms_norm", make); }

}  // namespace weft::cpu
