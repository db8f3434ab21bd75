// Selection, memory and compilation of the reference backend.
#include "backends/reference/reference_backend.hpp"

#include <atomic>

#include "backends/reference/executable.hpp"

namespace weft::reference_backend {
namespace {

class ReferenceBackend final : public Backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "reference"; }
  [[nodiscard]] const DeviceInfo& device() const override { return device_; }
  [[nodiscard]] Result<Selection> select(const OpCall& call) const override {
    const auto outputs = infer(call.op, call.inputs);
    if (!outputs) return error_of(outputs, "reference");
    Selection selection;
    selection.kernel = kernel_of(call.op);
    selection.rule = "reference#1";
    selection.why = "the definition";
    return selection;
  }
  [[nodiscard]] std::vector<Selection> alternatives(const OpCall& call) const override {
    auto only = select(call);
    std::vector<Selection> all;
    if (only) all.push_back(std::move(*only));
    return all;
  }
  [[nodiscard]] std::span<const RuleTable> rules() const override { return {}; }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    for (const SegmentStep& step : segment.steps) {
      if (step.selection.kernel != kernel_of(step.call.op)) {
        return fail(ErrorCode::invalid_argument, "reference: {}: kernel {}, wanted {}", step.name,
                    step.selection.kernel, kernel_of(step.call.op));
      }
    }
    auto executable = ReferenceExecutable::make(segment, next_id_++);
    if (!executable) return error_of(executable, "reference");
    return executable;
  }
  [[nodiscard]] Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind /*kind*/) override {
    return HostBuffer::allocate(bytes);
  }
  [[nodiscard]] Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& options) override {
    return std::make_unique<ReferenceQueue>(options);
  }
  [[nodiscard]] std::string path() const override { return "scalar, double accumulation, 1 thread"; }

 private:
  static std::string kernel_of(const Op& op) { return fmt::format("reference/{}/plain", name_of(op)); }

  DeviceInfo device_ = device_info();
  std::atomic<std::size_t> next_id_ = 1;
};

}  // namespace

DeviceInfo device_info() {
  const HostMemory memory = host_memory();
  DeviceInfo device;
  device.id = "reference";
  device.description = "each op's definition, on the host";
  device.vendor = "weft";
  device.max_allocation_bytes = memory.total_bytes;
  device.total_bytes = memory.total_bytes;
  device.free_bytes = memory.free_bytes;
  device.memory_domain = "host";
  return device;
}

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (!options.rules.empty()) {
    return fail(ErrorCode::invalid_file, "{}: the reference backend has no rules to replace; leave the file out",
                options.rules.front().source);
  }
  return std::make_unique<ReferenceBackend>();
}

}  // namespace weft::reference_backend
