// One step, and the times of its nodes.
#include "graph/executor.hpp"

#include <algorithm>

#include "graph/specialise.hpp"

namespace weft::graph {

Status CompiledPlan::check(const StepData& data, const SymbolValues& symbols) const {
  for (const Symbol symbol : symbols_) {
    const std::int64_t most = limit_of(limits_, symbol);
    if (symbols[symbol] >= 1 && symbols[symbol] <= most) continue;
    return fail(ErrorCode::invalid_argument, "step: {} is {}, the plan serves 1 to {}", name_of(symbol),
                symbols[symbol], most);
  }
  if (data.inputs.size() != inputs_.size() || data.states.size() != state_homes_.size() ||
      data.outputs.size() != downloads_.size()) {
    return fail(ErrorCode::invalid_argument, "step: found {} inputs, {} states and {} outputs, wanted {}, {} and {}",
                data.inputs.size(), data.states.size(), data.outputs.size(), inputs_.size(), state_homes_.size(),
                downloads_.size());
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::size_t wanted = inputs_[i].at(symbols).bytes();
    if (data.inputs[i].size() == wanted) continue;
    return fail(ErrorCode::invalid_argument, "step: input {} has {} bytes, wanted {}", input_names_[i],
                data.inputs[i].size(), wanted);
  }
  for (const Transfer& d : downloads_) {
    const std::size_t wanted = d.desc.at(symbols).bytes();
    if (data.outputs[d.number].size() == wanted) continue;
    return fail(ErrorCode::invalid_argument, "step: output {} has room for {} bytes, wanted {}", d.name,
                data.outputs[d.number].size(), wanted);
  }
  const auto missing = std::ranges::find(data.states, nullptr, &BufferView::buffer);
  if (missing == data.states.end()) return {};
  return fail(ErrorCode::invalid_argument, "step: state {} has no buffer", missing - data.states.begin());
}

Status CompiledPlan::copy(const CopyTransfer& transfer, const SymbolValues& symbols) {
  const std::size_t bytes = transfer.desc.at(symbols).bytes();
  const std::span<std::byte> host = std::span(staging_).first(bytes);
  const BufferView from{transfer.from.buffer, transfer.from.offset, bytes};
  if (Status ok = queues_[transfer.from_backend]->download(host, from); !ok) return ok;
  return queues_[transfer.to_backend]->upload({transfer.to.buffer, transfer.to.offset, bytes}, host);
}

Status CompiledPlan::start(const StepData& data, const SymbolValues& symbols) {
  for (const Transfer& u : uploads_) {
    const std::span<const std::byte> bytes = data.inputs[u.number];
    const BufferView target{u.place.buffer, u.place.offset, bytes.size()};
    if (Status ok = queues_[u.backend]->upload(target, bytes); !ok) return ok;
  }
  for (RunSegment& segment : segments_) {
    for (const std::size_t other : segment.finish) {
      if (Status ok = queues_[other]->finish(); !ok) return ok;
    }
    for (const CopyTransfer& transfer : segment.copies) {
      if (Status ok = copy(transfer, symbols); !ok) return ok;
    }
    for (std::size_t i = 0; i < segment.states.size(); ++i) segment.bindings[i + 1] = data.states[segment.states[i]];
    const Status ok = segment.executable->enqueue(*queues_[segment.backend], segment.bindings, symbols);
    if (!ok) return ok;
  }
  for (const Transfer& d : downloads_) {
    const std::span<std::byte> bytes = data.outputs[d.number];
    const BufferView source{d.place.buffer, d.place.offset, bytes.size()};
    if (Status ok = queues_[d.backend]->download(bytes, source); !ok) return ok;
  }
  return {};
}

Status CompiledPlan::finish_all() {
  Status first;
  for (const auto& queue : queues_) {
    if (queue == nullptr) continue;
    Status ok = queue->finish();
    if (!ok && first) first = std::move(ok);
  }
  return first;
}

Status CompiledPlan::run(const StepData& data, const SymbolValues& symbols) {
  if (Status ok = check(data, symbols); !ok) return ok;
  const Status started = start(data, symbols);
  // After an error too: nothing may still run when the caller frees or reuses buffers.
  const Status finished = finish_all();
  return started ? finished : started;
}

Status CompiledPlan::record_times(bool on) {
  std::vector<std::unique_ptr<Queue>> queues(backends_.size());
  const auto open = [&](std::size_t backend) -> Status {
    if (queues[backend] != nullptr) return {};
    auto queue = backends_[backend]->make_queue({.times = on});
    if (!queue) return error_of(queue, backends_[backend]->name());
    queues[backend] = std::move(*queue);
    return {};
  };
  for (const RunSegment& segment : segments_) {
    if (Status ok = open(segment.backend); !ok) return ok;
  }
  for (const auto* transfers : {&uploads_, &downloads_}) {
    for (const Transfer& transfer : *transfers) {
      if (Status ok = open(transfer.backend); !ok) return ok;
    }
  }
  queues_ = std::move(queues);
  return {};
}

std::vector<NodeTime> CompiledPlan::take_times() {
  std::vector<NodeTime> times;
  for (std::size_t b = 0; b < queues_.size(); ++b) {
    if (queues_[b] == nullptr) continue;
    for (const StepTime& t : queues_[b]->take_times()) {
      const auto segment = std::ranges::find_if(
          segments_, [&](const RunSegment& s) { return s.backend == b && s.executable->id() == t.segment; });
      if (segment != segments_.end()) times.push_back({segment->first_node + t.step, t.seconds});
    }
  }
  return times;
}

}  // namespace weft::graph
