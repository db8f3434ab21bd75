// Writes keys and values of the step into the cache.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"
#include "backends/cpu/ops/cache_view.hpp"

namespace weft::cpu {
namespace {

class KvAppendStep final : public Step {
 public:
  KvAppendStep(StepPlan& plan, const Loops& loops)
      : spec_(plan.op<KvAppend>().cache),
        k_(plan.inputs[0].desc),
        v_(plan.inputs[1].desc),
        cache_(plan.inputs[5].desc),
        loops_(loops) {
    row_bytes_ = static_cast<std::size_t>(std::max(spec_.dk, spec_.dv)) * sizeof(float);
    buffers_ = plan.reserve(row_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows k(k_, c.inputs[0], *c.symbols);
    const OperandRows v(v_, c.inputs[1], *c.symbols);
    const auto* positions = reinterpret_cast<const std::int32_t*>(c.inputs[2]);
    const auto* sequences = reinterpret_cast<const std::int32_t*>(c.inputs[3]);
    const auto* table = reinterpret_cast<const std::int32_t*>(c.inputs[4]);
    const CacheView cache(spec_, cache_.shape[0].value(*c.symbols), c.outputs[0]);
    auto* buffer = reinterpret_cast<float*>(c.scratch + buffers_ + row_bytes_ * static_cast<std::size_t>(c.worker));
    const Share share = share_of(k.size(0), c);
    for (std::int64_t t = share.begin; t < share.end; ++t) {
      const std::int64_t row = std::int64_t{table[sequences[t]]} + positions[t];
      for (std::int64_t h = 0; h < spec_.kv_heads; ++h) {
        const std::int64_t source = t * spec_.kv_heads + h;
        store_cache_row(loops_, spec_.k_type, row_of(k, source, buffer), cache.key(row, h));
        store_cache_row(loops_, spec_.v_type, row_of(v, source, buffer), cache.value(row, h));
      }
    }
  }

 private:
  std::span<const float> row_of(const OperandRows& rows, std::int64_t index, float* buffer) const {
    return {rows.load(loops_, rows.row(index), 0, rows.width(), buffer), static_cast<std::size_t>(rows.width())};
  }

  CacheSpec spec_;
  TensorDesc k_, v_, cache_;
  const Loops& loops_;
  std::size_t row_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<KvAppendStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> kv_append_kernels() { return loop_kernels("kv_append", make); }

}  // namespace weft::cpu
