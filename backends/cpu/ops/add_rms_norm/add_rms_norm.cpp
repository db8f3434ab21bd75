// Residual add and the norm of its result.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {
namespace {

class AddRmsNormStep final : public Step {
 public:
  AddRmsNormStep(StepPlan& plan, const Loops& loops)
      : op_(plan.op<AddRmsNorm>()),
        a_(plan.inputs[0].desc),
        b_(plan.inputs[1].desc),
        sum_(plan.outputs[0].desc),
        y_(plan.outputs[1].desc),
        loops_(loops) {
    buffer_bytes_ = 3 * static_cast<std::size_t>(a_.width()) * sizeof(float);
    buffers_ = plan.reserve(buffer_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows a(a_, c.inputs[0], *c.symbols);
    const OperandRows b(b_, c.inputs[1], *c.symbols);
    const OperandRows sum(sum_, c.outputs[0], *c.symbols);
    const OperandRows y(y_, c.outputs[1], *c.symbols);
    const auto* weight = reinterpret_cast<const float*>(c.inputs[2]);
    const std::int64_t n = a.width();
    auto* left = reinterpret_cast<float*>(c.scratch + buffers_ + buffer_bytes_ * static_cast<std::size_t>(c.worker));
    float* right = left + n;
    float* total = right + n;
    const Share share = share_of(a.count(), c);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      loops_.add(a.load(loops_, a.row(i), 0, n, left), b.load(loops_, b.row(i), 0, n, right), total, n);
      sum.store(loops_, sum.row(i), 0, n, total);
      // The norm reads what was stored, so that it is the norm of `sum` in its own type.
      const float* stored = sum.load(loops_, sum.row(i), 0, n, total);
      float* target = y.target(y.row(i), 0, left);
      loops_.rms_norm(stored, weight, op_.eps, op_.weight_offset, target, n);
      y.store(loops_, y.row(i), 0, n, target);
    }
  }

 private:
  AddRmsNorm op_;
  TensorDesc a_, b_, sum_, y_;
  const Loops& loops_;
  std::size_t buffer_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<AddRmsNormStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> add_rms_norm_kernels() { return loop_kernels("add_rms_norm", make); }

}  // namespace weft::cpu
