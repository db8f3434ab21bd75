// Parts side by side in each row.
#include <cstring>

#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {
namespace {

class ConcatStep final : public Step {
 public:
  explicit ConcatStep(const StepPlan& plan) : y_(plan.outputs[0].desc) {
    for (const StepOperand& part : plan.inputs) parts_.push_back(part.desc);
  }

  void run(const StepContext& c) const override {
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    const Share share = share_of(y.count(), c);
    std::size_t at = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const OperandRows part(parts_[p], c.inputs[p], *c.symbols);
      const auto bytes = static_cast<std::size_t>(row_bytes(part.dtype(), part.width()));
      for (std::int64_t i = share.begin; bytes > 0 && i < share.end; ++i) {
        std::memcpy(y.row(i) + at, part.row(i), bytes);
      }
      at += bytes;
    }
  }

 private:
  TensorDesc y_;
  TensorDescs parts_;
};

}  // namespace

std::vector<Kernel> concat_kernels() {
  return {{"concat", "cpu/concat/rows",
           [](StepPlan& plan) -> Result<std::unique_ptr<Step>> { return std::make_unique<ConcatStep>(plan); }}};
}

}  // namespace weft::cpu
