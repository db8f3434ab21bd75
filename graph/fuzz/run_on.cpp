// One step of a plan with states of its own.
#include "core/sample_data.hpp"
#include "graph/fuzz/agreement.hpp"
#include "graph/fuzz/generator.hpp"
#include "graph/fuzz/host_run.hpp"

namespace weft::graph::fuzz {

PlanOptions step_options() {
  PlanOptions options;
  options.limits = {.tokens = step_tokens, .sequences = 1, .outputs = 1, .kv_len = step_tokens, .kv_rows = step_tokens};
  options.precision = Precision::exact;
  return options;
}

Result<std::vector<Bytes>> run_on(const Graph& graph, const PlanOptions& options,
                                  std::span<const std::shared_ptr<Backend>> backends, std::span<const Bytes> inputs,
                                  PlanReport* report) {
  auto plan = Plan::compile(graph, options, backends);
  if (!plan) return error_of(plan);
  const auto storage = resolve_storage(graph);
  if (!storage) return error_of(storage);
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<BufferView> states;
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    const std::size_t bytes = state_bytes(graph, *storage, s);
    auto buffer = (*plan)->state_backend(s).allocate(bytes, MemoryKind::state);
    if (!buffer) return error_of(buffer);
    states.push_back({buffer->get(), 0, bytes});
    buffers.push_back(std::move(*buffer));
  }
  std::vector<Bytes> outputs;
  for (const ValueId id : graph.outputs) {
    outputs.emplace_back(graph.value(id).desc.at(step_symbols()).bytes(), std::byte{0xFF});  // NaN where unwritten
  }
  const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
  const std::vector<std::span<std::byte>> out(outputs.begin(), outputs.end());
  if (Status ok = (*plan)->run({in, states, out}, step_symbols()); !ok) return error_of(ok);
  if (report != nullptr) *report = (*plan)->report();
  return outputs;
}

}  // namespace weft::graph::fuzz
