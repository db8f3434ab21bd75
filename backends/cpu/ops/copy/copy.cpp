// Rows of any type, made dense.
#include <cstring>

#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"

namespace weft::cpu {
namespace {

class CopyStep final : public Step {
 public:
  explicit CopyStep(const StepPlan& plan) : x_(plan.inputs[0].desc), y_(plan.outputs[0].desc) {}

  void run(const StepContext& c) const override {
    const OperandRows x(x_, c.inputs[0], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    const auto bytes = static_cast<std::size_t>(row_bytes(x.dtype(), x.width()));
    const Share share = share_of(x.count(), c);
    for (std::int64_t i = share.begin; bytes > 0 && i < share.end; ++i) std::memcpy(y.row(i), x.row(i), bytes);
  }

 private:
  TensorDesc x_, y_;
};

}  // namespace

std::vector<Kernel> copy_kernels() {
  return {{"copy", "cpu/copy/rows",
           [](StepPlan& plan) -> Result<std::unique_ptr<Step>> { return std::make_unique<CopyStep>(plan); }}};
}

}  // namespace weft::cpu
