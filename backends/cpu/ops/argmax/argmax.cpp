// Index of the largest element of each row.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {
namespace {

class ArgmaxStep final : public Step {
 public:
  ArgmaxStep(StepPlan& plan, const Loops& loops) : x_(plan.inputs[0].desc), loops_(loops) {
    row_bytes_ = static_cast<std::size_t>(x_.width()) * sizeof(float);
    buffers_ = plan.reserve(row_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows x(x_, c.inputs[0], *c.symbols);
    auto* ids = reinterpret_cast<std::int32_t*>(c.outputs[0]);
    auto* buffer = reinterpret_cast<float*>(c.scratch + buffers_ + row_bytes_ * static_cast<std::size_t>(c.worker));
    const Share share = share_of(x.count(), c);
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      ids[i] = static_cast<std::int32_t>(loops_.argmax(x.load(loops_, x.row(i), 0, x.width(), buffer), x.width()));
    }
  }

 private:
  TensorDesc x_;
  const Loops& loops_;
  std::size_t row_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<ArgmaxStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> argmax_kernels() { return loop_kernels("argmax", make); }

}  // namespace weft::cpu
