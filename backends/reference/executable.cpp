// A segment run step by step with each op's reference.
#include "backends/reference/executable.hpp"

#include <chrono>

namespace weft::reference_backend {
namespace {

Status check_operands(const Segment& segment, const SegmentStep& step) {
  for (const auto* operands : {&step.inputs, &step.outputs}) {
    for (const std::ptrdiff_t value : *operands) {
      if (value == no_value) continue;
      if (value < 0 || static_cast<std::size_t>(value) >= segment.values.size()) {
        return fail(ErrorCode::invalid_argument, "{}: operand {}, but the segment has {} values", step.name, value,
                    segment.values.size());
      }
    }
  }
  return {};
}

Status check_values(const Segment& segment) {
  for (const SegmentValue& value : segment.values) {
    if (!value.constant && value.binding >= segment.bindings) {
      return fail(ErrorCode::invalid_argument, "{}: binding {}, but the segment has {}", value.name, value.binding,
                  segment.bindings);
    }
    if (value.constant && value.constant->data.size() < value.desc.bytes()) {
      return fail(ErrorCode::invalid_argument, "{}: constant of {} bytes, but {} needs {}", value.name,
                  value.constant->data.size(), to_string(value.desc), value.desc.bytes());
    }
  }
  return {};
}

Status check_symbols(const SegmentValue& value, const SymbolValues& symbols) {
  for (const Dim& dim : value.desc.shape.dims()) {
    const std::int64_t size = dim.value(symbols);
    if (size < 0 || size > dim.max) {
      return fail(ErrorCode::invalid_argument, "{}: {} is {}, wanted 0 to {}", value.name, name_of(dim.symbol), size,
                  dim.max);
    }
  }
  return {};
}

}  // namespace

ReferenceExecutable::ReferenceExecutable(const Segment& segment, std::size_t id)
    : id_(id), bindings_(segment.bindings), values_(segment.values), placed_(segment.values.size()) {
  for (const SegmentStep& step : segment.steps) {
    steps_.push_back({step.call.op, step.inputs, step.outputs, std::vector<ConstHostView>(step.inputs.size()),
                      std::vector<MutableHostView>(step.outputs.size())});
  }
}

Result<std::unique_ptr<Executable>> ReferenceExecutable::make(const Segment& segment, std::size_t id) {
  if (const Status values = check_values(segment); !values) return error_of(values);
  for (const SegmentStep& step : segment.steps) {
    if (const Status operands = check_operands(segment, step); !operands) return error_of(operands);
  }
  return std::unique_ptr<Executable>(new ReferenceExecutable(segment, id));
}

Status ReferenceExecutable::place_values(Bindings bindings, const SymbolValues& symbols) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const SegmentValue& value = values_[i];
    if (const Status in_range = check_symbols(value, symbols); !in_range) return in_range;
    placed_[i].desc = value.desc.at(symbols);
    if (value.constant) {
      // References take constants as inputs only.
      placed_[i].data = const_cast<std::byte*>(value.constant->data.data());
      continue;
    }
    const auto bytes = host_bytes(bindings[value.binding]);
    if (!bytes) return error_of(bytes, value.name);
    const std::size_t wanted = placed_[i].desc.bytes();
    if (value.byte_offset > bytes->size() || wanted > bytes->size() - value.byte_offset) {
      return fail(ErrorCode::invalid_argument, "{}: binding {} has {} bytes, wanted {} at {}", value.name,
                  value.binding, bytes->size(), wanted, value.byte_offset);
    }
    placed_[i].data = bytes->data() + value.byte_offset;
  }
  return {};
}

void ReferenceExecutable::run(Step& step) const {
  const auto placed = [&](std::ptrdiff_t value) {
    return value == no_value ? MutableHostView{} : placed_[static_cast<std::size_t>(value)];
  };
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const MutableHostView input = placed(step.inputs[i]);
    step.input_views[i] = as_const(input);
  }
  for (std::size_t i = 0; i < step.outputs.size(); ++i) step.output_views[i] = placed(step.outputs[i]);
  reference(step.op, step.input_views, step.output_views);
}

Status ReferenceExecutable::enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const {
  auto* own = dynamic_cast<ReferenceQueue*>(&queue);
  if (own == nullptr) return fail(ErrorCode::invalid_argument, "reference: the queue belongs to another backend");
  if (bindings.size() != bindings_) {
    return fail(ErrorCode::invalid_argument, "reference: {} bindings, wanted {}", bindings.size(), bindings_);
  }
  if (const Status placed = place_values(bindings, symbols); !placed) return error_of(placed, "reference");
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Clock::time_point start = Clock::now();
    run(steps_[i]);
    if (!own->times_wanted()) continue;
    own->add_time({.segment = id_, .step = i, .seconds = std::chrono::duration<double>(Clock::now() - start).count()});
  }
  return {};
}

std::string ReferenceExecutable::description() const {
  return fmt::format("{} steps, one after the other", steps_.size());
}

}  // namespace weft::reference_backend
