// Rotary position embedding.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"
#include "backends/cpu/ops/rotation.hpp"

namespace weft::cpu {
namespace {

class RopeStep final : public Step {
 public:
  RopeStep(StepPlan& plan, const Loops& loops)
      : rotation_(plan.op<Rope>().spec, plan.inputs[2].desc.present() ? std::optional<std::size_t>(2) : std::nullopt),
        x_(plan.inputs[0].desc),
        y_(plan.outputs[0].desc),
        loops_(loops) {
    buffer_bytes_ = static_cast<std::size_t>(x_.width() + rotation_.term_count()) * sizeof(float);
    buffers_ = plan.reserve(buffer_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows x(x_, c.inputs[0], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    const auto* positions = reinterpret_cast<const std::int32_t*>(c.inputs[1]);
    const std::int64_t n = x.width();
    const std::int64_t heads = x.size(1);
    auto* head = reinterpret_cast<float*>(c.scratch + buffers_ + buffer_bytes_ * static_cast<std::size_t>(c.worker));
    float* terms = head + n;
    const Share share = share_of(x.size(0), c);
    for (std::int64_t t = share.begin; t < share.end; ++t) {
      rotation_.terms(c, positions[t], terms);
      for (std::int64_t h = t * heads; h < (t + 1) * heads; ++h) {
        loops_.copy(x.load(loops_, x.row(h), 0, n, head), head, n);
        rotation_.apply(loops_, terms, head);
        y.store(loops_, y.row(h), 0, n, head);
      }
    }
  }

 private:
  Rotation rotation_;
  TensorDesc x_, y_;
  const Loops& loops_;
  std::size_t buffer_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<RopeStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> rope_kernels() { return loop_kernels("rope", make); }

}  // namespace weft::cpu
