// Builds the segment, runs it, and looks at everything that it could have touched.
#include "core/conformance/case_run.hpp"

#include <algorithm>
#include <optional>

#include "core/conformance/comparison.hpp"
#include "core/conformance/guarded_buffer.hpp"
#include "core/conformance/operand_roles.hpp"

namespace weft::conformance {
namespace {

constexpr std::size_t file_alignment = 32;

/// Uninitialised but for the guards; `content` starts at 32 modulo 64.
std::span<std::byte> place_guarded(const std::shared_ptr<Bytes>& storage, std::span<const std::byte> content) {
  const Bytes all = with_guards(content);
  storage->resize(all.size() + 2 * file_alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(storage->data()) + guard_bytes;
  const std::size_t wanted = 2 * file_alignment;
  const std::size_t shift = (file_alignment + wanted - address % wanted) % wanted;
  std::ranges::copy(all, storage->begin() + static_cast<std::ptrdiff_t>(shift));
  return std::span(*storage).subspan(shift, all.size());
}

/// An operand with a buffer of its own. Outputs that update an input have none.
struct Operand {
  GuardedBuffer buffer;
  std::string name;
  Bytes content;  ///< before a run
  bool written = false;
};

/// A compiled case with its buffers.
class CaseRun {
 public:
  CaseRun(Backend& backend, Queue& queue, const CaseInput& input) : backend_(backend), queue_(queue), input_(input) {}

  Result<CaseResult> run() {
    if (Status ok = place_operands(); !ok) return error_of(ok);
    auto executable = backend_.compile(segment_);
    if (!executable) return error_of(executable, "compile");
    CaseResult result;
    if (Status ok = execute(**executable); !ok) return error_of(ok);
    const auto first = read_all(result);
    if (!first) return error_of(first);
    check_outputs(*first, result);
    if (Status ok = execute(**executable); !ok) return error_of(ok, "second run");
    const auto second = read_all(result);
    if (!second) return error_of(second, "second run");
    check_repeat(*first, *second, result);
    if (Status ok = check_rows(**executable, *first, result); !ok) return error_of(ok, "run with another last row");
    return result;
  }

 private:
  Status place_operands() {
    segment_.steps.push_back({input_.form.call, input_.selection, {}, {}, "conformance"});
    for (std::size_t i = 0; i < input_.sample.inputs.size(); ++i) {
      if (Status ok = place_input(i); !ok) return ok;
    }
    for (std::size_t i = 0; i < input_.sample.expected.size(); ++i) {
      if (Status ok = place_output(i); !ok) return ok;
    }
    segment_.bindings = operands_.size();
    for (const Operand& operand : operands_) bindings_.push_back(operand.buffer.binding());
    return {};
  }

  Status place_input(std::size_t i) {
    const TensorDesc& desc = input_.form.call.inputs[i];
    std::vector<std::ptrdiff_t>& places = segment_.steps[0].inputs;
    if (!desc.present()) {
      places.push_back(no_value);
      return {};
    }
    const std::string name = fmt::format("input {} ({})", i, port_of(input_ports(input_.sample.op), i).name);
    places.push_back(static_cast<std::ptrdiff_t>(segment_.values.size()));
    if (auto constant = input_.constants.of(i)) {
      segment_.values.push_back({name, desc, std::move(constant), 0, 0});
      return {};
    }
    const std::span<const std::byte> bytes = input_.sample.inputs[i].bytes();
    return add_operand(name, desc, Bytes(bytes.begin(), bytes.end()), false);
  }

  Status place_output(std::size_t i) {
    const TensorDesc& desc = input_.form.call.outputs[i];
    const std::string name = fmt::format("output {} ({})", i, port_of(output_ports(input_.sample.op), i).name);
    SegmentStep& step = segment_.steps[0];
    step.outputs.push_back(static_cast<std::ptrdiff_t>(segment_.values.size()));
    for (const Alias& alias : aliases(input_.sample.op)) {
      if (alias.output != i) continue;
      SegmentValue same = segment_.values[static_cast<std::size_t>(step.inputs[alias.input])];
      operands_[same.binding].written = true;
      output_operand_.push_back(same.binding);
      segment_.values.push_back(std::move(same));
      return {};
    }
    output_operand_.push_back(operands_.size());
    return add_operand(name, desc, Bytes(input_.sample.expected[i].want.bytes().size(), poison_of(desc.dtype)), true);
  }

  /// Gives the operand a buffer and a binding; every second one starts at an offset of its own within the binding.
  Status add_operand(const std::string& name, const TensorDesc& desc, Bytes content, bool written) {
    const OffsetIn offset_in = operands_.size() % 2 == 0 ? OffsetIn::binding : OffsetIn::value;
    const MemoryKind kind = desc.dtype == DType::state ? MemoryKind::state : MemoryKind::arena;
    auto buffer = GuardedBuffer::make(backend_, {.bytes = content.size(), .kind = kind, .offset_in = offset_in});
    if (!buffer) return error_of(buffer, name);
    segment_.values.push_back({name, desc, nullptr, operands_.size(), buffer->value_offset()});
    operands_.push_back({std::move(*buffer), name, std::move(content), written});
    return {};
  }

  Status execute(const Executable& executable) {
    for (Operand& operand : operands_) {
      if (Status ok = operand.buffer.fill(queue_, operand.content); !ok) return error_of(ok, operand.name);
    }
    if (Status ok = executable.enqueue(queue_, bindings_, input_.form.symbols); !ok) return error_of(ok, "enqueue");
    const Status done = queue_.finish();
    return done ? Status() : error_of(done, "finish");
  }

  /// Downloads every operand; notes damaged guards, changed inputs and constants.
  Result<std::vector<Bytes>> read_all(CaseResult& result) {
    std::vector<Bytes> all;
    for (const Operand& operand : operands_) {
      auto contents = operand.buffer.read(queue_);
      if (!contents) return error_of(contents, operand.name);
      if (!contents->damage.empty()) note(result, fmt::format("{}: {}", operand.name, contents->damage));
      if (!operand.written && contents->bytes != operand.content) {
        note(result, fmt::format("{}: was changed, but it is only read", operand.name));
      }
      all.push_back(std::move(contents->bytes));
    }
    note(result, input_.constants.damage(input_.sample));
    return all;
  }

  void check_outputs(const std::vector<Bytes>& contents, CaseResult& result) {
    const TensorDescs descs = descs_of(input_.sample.inputs);
    const Tolerance allowed = tolerance(input_.sample.op, descs, input_.selection.activations);
    const auto cache = cache_spec_of(input_.sample.op);
    for (std::size_t i = 0; i < input_.sample.expected.size(); ++i) {
      const Operand& operand = operands_[output_operand_[i]];
      const Comparison c = compare(input_.sample.expected[i], contents[output_operand_[i]], allowed, cache);
      if (!c.fault.empty()) note(result, fmt::format("{}: {}", operand.name, c.fault));
      result.worst = std::max(result.worst, c.worst);
    }
  }

  void check_repeat(const std::vector<Bytes>& first, const std::vector<Bytes>& second, CaseResult& result) {
    if (!input_.selection.deterministic) return;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const auto [a, b] = std::ranges::mismatch(first[i], second[i]);
      if (a == first[i].end()) continue;
      note(result, fmt::format("{}: byte {} differs between two runs on the same input; a rule may say "
                               "\"deterministic\": false with a reason",
                               operands_[i].name, a - first[i].begin()));
    }
  }

  /// A row's bits must not depend on what other rows hold, or an answer would depend on who shares its batch: puts
  /// other numbers into the last row of the step's activations. Ops are causal, so no other row may follow.
  Status check_rows(const Executable& executable, const std::vector<Bytes>& before, CaseResult& result) {
    const TensorDesc& desc = input_.sample.inputs[0].desc();
    if (!input_.last_row || !result.fault.empty() || !input_.selection.deterministic) return {};
    change_last_row({desc, operands_[0].content.data()});
    if (Status ok = execute(executable); !ok) return ok;
    CaseResult unused;  // the reference is of the other numbers
    const auto after = read_all(unused);
    if (!after) return error_of(after);
    for (std::size_t i = 0; i < input_.sample.expected.size(); ++i) {
      const TensorDesc& out = input_.sample.expected[i].want.desc();
      if (!is_float(out.dtype) || out.shape.rank() < 2 || out.shape[0] != desc.shape[0]) continue;
      const std::size_t kept = bytes_of_rows_before_last(out);
      const std::size_t operand = output_operand_[i];
      const auto same = std::ranges::mismatch(std::span(before[operand]).first(kept), (*after)[operand]);
      const auto at = static_cast<std::size_t>(same.in1 - std::span(before[operand]).begin());
      if (at == kept) continue;
      note(result, fmt::format("{}: byte {} follows what the last row of {} holds, but no row may depend on others",
                               operands_[operand].name, at, operands_[0].name));
    }
    return {};
  }

  static void change_last_row(const MutableHostView& view) {
    const std::int64_t rows = view.rows() / view.desc.shape[0].max;
    std::vector<float> row(static_cast<std::size_t>(view.width()));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 3 == 0 ? -700.0F : 90.0F;
    for (std::int64_t r = view.rows() - rows; r < view.rows(); ++r) store_row(view, r, row);
  }

  static std::size_t bytes_of_rows_before_last(const TensorDesc& desc) {
    TensorDesc shorter = desc;
    shorter.shape[0] = Dim(desc.shape[0].max - 1);
    return shorter.bytes();
  }

  static void note(CaseResult& result, const std::string& fault) {
    if (fault.empty()) return;
    result.fault += (result.fault.empty() ? "" : "; ") + fault;
  }

  Backend& backend_;
  Queue& queue_;
  const CaseInput& input_;
  Segment segment_;
  std::vector<Operand> operands_;  ///< in the order of the bindings
  std::vector<BufferView> bindings_;
  std::vector<std::size_t> output_operand_;  ///< of each output
};

}  // namespace

Constants::Constants(const SampleCase& sample) {
  const std::span<const Port> ports = input_ports(sample.op);
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    const OwnedTensor& input = sample.inputs[i];
    const Port& port = port_of(ports, i);
    tensors_.push_back(nullptr);
    guarded_.emplace_back();
    if (!input.desc().present() || !is_weight(port)) continue;
    const auto storage = std::make_shared<Bytes>();
    guarded_.back() = place_guarded(storage, input.bytes());
    auto tensor = std::make_shared<HostTensor>();
    tensor->name = fmt::format("input {} ({})", i, port.name);
    tensor->desc = input.desc();
    tensor->data = guarded_.back().subspan(guard_bytes, input.bytes().size());
    tensor->owner = storage;
    tensors_.back() = std::move(tensor);
  }
}

std::string Constants::damage(const SampleCase& sample) const {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (tensors_[i] == nullptr) continue;
    if (const std::string guards = guard_damage(guarded_[i]); !guards.empty()) {
      return fmt::format("{}: {}", tensors_[i]->name, guards);
    }
    if (!std::ranges::equal(tensors_[i]->data, sample.inputs[i].bytes())) {
      return fmt::format("{}: was changed, but it is a constant", tensors_[i]->name);
    }
  }
  return "";
}

bool has_other_rows(const SampleCase& sample) {
  const TensorDesc& desc = sample.inputs[0].desc();
  return desc.present() && is_float(desc.dtype) && !is_weight(input_ports(sample.op)[0]) && desc.shape.rank() >= 2 &&
         desc.shape[0].max >= 2 && desc.shape.elements() > 0;
}

CaseResult run_case(Backend& backend, Queue& queue, const CaseInput& input) {
  auto result = CaseRun(backend, queue, input).run();
  if (!result) return {result.error().message, 0};
  return std::move(*result);
}

}  // namespace weft::conformance
