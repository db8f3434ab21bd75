// Operands of attention, and the list of its kernels.
#include "backends/cpu/ops/attention/attention.hpp"

#include <algorithm>
#include <iterator>

#include "backends/cpu/op_table.hpp"

namespace weft::cpu {

AttentionPlan::AttentionPlan(const StepPlan& plan, const Loops& table)
    : op(plan.op<Attention>()),
      q(plan.inputs[0].desc),
      y(plan.outputs[0].desc),
      cache(plan.inputs[5].desc),
      loops(&table) {}

AttentionBatch AttentionPlan::batch(const StepContext& c) const {
  const auto integers = [&](std::size_t input) { return reinterpret_cast<const std::int32_t*>(c.inputs[input]); };
  AttentionBatch b{OperandRows(q, c.inputs[0], *c.symbols), OperandRows(y, c.outputs[0], *c.symbols),
                   CacheView(op.cache, cache.shape[0].value(*c.symbols), c.inputs[5])};
  b.positions = integers(1);
  b.sequences = integers(2);
  b.table = integers(3);
  b.lengths = integers(4);
  b.sinks = reinterpret_cast<const float*>(c.inputs[6]);
  b.tokens = b.q.size(0);
  b.heads = b.q.size(1);
  b.group = b.heads / op.cache.kv_heads;
  return b;
}

Visible AttentionPlan::visible(const AttentionBatch& b, std::int64_t token) const {
  const std::int64_t position = b.positions[token];
  const std::int64_t end = std::min<std::int64_t>(position + 1, b.lengths[b.sequences[token]]);
  const std::int64_t begin = op.window > 0 ? std::max<std::int64_t>(0, position - op.window + 1) : 0;
  return {begin, std::max(begin, end)};
}

void AttentionPlan::finish_scores(float* scores, std::int64_t n) const {
  loops->scale(op.scale, scores, scores, n);
  if (op.softcap > 0) loops->softcap(op.softcap, scores, scores, n);
}

std::vector<Kernel> attention_kernels() {
  std::vector<Kernel> kernels = loop_kernels("attention", make_split_attention, "split_");
  std::vector<Kernel> tiled = loop_kernels("attention", make_tiled_attention, "tiled_");
  std::move(tiled.begin(), tiled.end(), std::back_inserter(kernels));
  return kernels;
}

}  // namespace weft::cpu
