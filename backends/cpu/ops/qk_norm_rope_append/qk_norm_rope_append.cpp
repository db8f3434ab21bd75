// Norm and rotation of each token's heads, and its cache row, without storing anything in between.
#include "backends/cpu/op_table.hpp"
#include "backends/cpu/operand_rows.hpp"
#include "backends/cpu/ops/cache_view.hpp"
#include "backends/cpu/ops/rotation.hpp"

namespace weft::cpu {
namespace {

enum Input : std::size_t { q_in, k_in, v_in, q_norm, k_norm, positions_in, sequences_in, table_in, cache_in, divisors };

class QkNormRopeAppendStep final : public Step {
 public:
  QkNormRopeAppendStep(StepPlan& plan, const Loops& loops)
      : op_(plan.op<QkNormRopeAppend>()),
        rotation_(op_.rope, plan.inputs[divisors].desc.present() ? std::optional<std::size_t>(divisors) : std::nullopt),
        q_(plan.inputs[q_in].desc),
        k_(plan.inputs[k_in].desc),
        v_(plan.inputs[v_in].desc),
        cache_(plan.inputs[cache_in].desc),
        y_(plan.outputs[0].desc),
        loops_(loops) {
    width_ = std::max(op_.cache.dk, op_.cache.dv);
    buffer_bytes_ = static_cast<std::size_t>(width_ + rotation_.term_count()) * sizeof(float);
    buffers_ = plan.reserve(buffer_bytes_ * static_cast<std::size_t>(plan.workers));
  }

  void run(const StepContext& c) const override {
    const OperandRows q(q_, c.inputs[q_in], *c.symbols);
    const OperandRows y(y_, c.outputs[0], *c.symbols);
    const auto* positions = reinterpret_cast<const std::int32_t*>(c.inputs[positions_in]);
    auto* head = reinterpret_cast<float*>(c.scratch + buffers_ + buffer_bytes_ * static_cast<std::size_t>(c.worker));
    float* terms = head + width_;
    const std::int64_t heads = q.size(1);
    const Share share = share_of(q.size(0), c);
    for (std::int64_t t = share.begin; t < share.end; ++t) {
      rotation_.terms(c, positions[t], terms);
      for (std::int64_t h = t * heads; h < (t + 1) * heads; ++h) {
        normed_and_turned(c, q, h, q_norm, terms, head);
        y.store(loops_, y.row(h), 0, op_.cache.dk, head);
      }
      append(c, t, terms, head);
    }
  }

 private:
  void normed_and_turned(const StepContext& c, const OperandRows& rows, std::int64_t row, std::size_t norm,
                         const float* terms, float* head) const {
    const std::int64_t n = rows.width();
    const float* x = rows.load(loops_, rows.row(row), 0, n, head);
    if (c.inputs[norm] != nullptr) {
      const auto* weight = reinterpret_cast<const float*>(c.inputs[norm]);
      loops_.rms_norm(x, weight, op_.eps, op_.weight_offset, head, n);
    } else {
      loops_.copy(x, head, n);
    }
    if (rotation_.any()) rotation_.apply(loops_, terms, head);
  }

  void append(const StepContext& c, std::int64_t t, const float* terms, float* head) const {
    const CacheSpec& spec = op_.cache;
    const OperandRows k(k_, c.inputs[k_in], *c.symbols);
    const OperandRows v(v_, c.inputs[v_in], *c.symbols);
    const CacheView cache(spec, cache_.shape[0].value(*c.symbols), c.outputs[1]);
    const auto* positions = reinterpret_cast<const std::int32_t*>(c.inputs[positions_in]);
    const auto* sequences = reinterpret_cast<const std::int32_t*>(c.inputs[sequences_in]);
    const auto* table = reinterpret_cast<const std::int32_t*>(c.inputs[table_in]);
    const std::int64_t row = std::int64_t{table[sequences[t]]} + positions[t];
    for (std::int64_t h = 0; h < spec.kv_heads; ++h) {
      const std::int64_t source = t * spec.kv_heads + h;
      normed_and_turned(c, k, source, k_norm, terms, head);
      store_cache_row(loops_, spec.k_type, {head, static_cast<std::size_t>(spec.dk)}, cache.key(row, h));
      const float* value = v.load(loops_, v.row(source), 0, spec.dv, head);
      store_cache_row(loops_, spec.v_type, {value, static_cast<std::size_t>(spec.dv)}, cache.value(row, h));
    }
  }

  QkNormRopeAppend op_;
  Rotation rotation_;
  TensorDesc q_, k_, v_, cache_, y_;
  const Loops& loops_;
  std::int64_t width_ = 0;
  std::size_t buffer_bytes_ = 0;
  std::size_t buffers_ = 0;
};

Result<std::unique_ptr<Step>> make(StepPlan& plan, const Loops& loops) {
  return std::make_unique<QkNormRopeAppendStep>(plan, loops);
}

}  // namespace

std::vector<Kernel> qk_norm_rope_append_kernels() { return loop_kernels("qk_norm_rope_append", make); }

}  // namespace weft::cpu
