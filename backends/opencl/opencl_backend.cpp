// Device, rules, programs and weights put together.
#include "backends/opencl/opencl_backend.hpp"

#include <fmt/core.h>

#include <atomic>
#include <cstdio>

#include "backends/opencl/ops/plans.hpp"
#include "backends/opencl/segment_compiler.hpp"
#include "core/embedded_file.hpp"
#include "core/rules/rule_set.hpp"

namespace weft::opencl {

/// The rule tables of this backend's ops.
[[nodiscard]] std::span<const EmbeddedFile> embedded_rules();
/// limits.json alone.
[[nodiscard]] std::span<const EmbeddedFile> embedded_limits();

namespace {

constexpr std::string_view backend_name = "opencl";

RuleVocabulary vocabulary_of(std::string_view op, const DeviceInfo& device) {
  RuleVocabulary vocabulary;
  vocabulary.facts = example_call_facts(op);
  vocabulary.facts.merge("device.", facts_of(device));
  for (const KernelEntry& entry : kernel_entries()) {
    if (entry.op == op) vocabulary.choices.emplace_back(entry.variant);
  }
  return vocabulary;
}

BuildIdentity identity_of(const DeviceFacts& facts) {
  return {facts.platform_name, facts.platform_version, facts.name, facts.version, facts.driver};
}

void warn(std::string_view line) { fmt::print(stderr, "weft: warning: {}\n", line); }

class OpenClBackend final : public Backend {
 public:
  OpenClBackend(std::shared_ptr<const DeviceContext> context, RuleSet rules, const std::string& cache_dir)
      : context_(std::move(context)),
        rules_(std::move(rules)),
        programs_(context_, ProgramCache(cache_dir, identity_of(context_->facts()), warn)),
        weights_(context_) {}

  std::string_view name() const override { return backend_name; }
  const DeviceInfo& device() const override { return context_->info(); }
  Result<Selection> select(const OpCall& call) const override {
    return rules_.select(name_of(call.op), all_facts(call));
  }
  std::vector<Selection> alternatives(const OpCall& call) const override {
    return rules_.alternatives(name_of(call.op), all_facts(call));
  }
  std::span<const RuleTable> rules() const override { return rules_.tables(); }
  EmbeddedFile limits() const override { return embedded_limits().front(); }

  Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    return compile_segment({context_, programs_, weights_}, segment, next_id_.fetch_add(1));
  }
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind kind) override {
    return DeviceBuffer::allocate(context_, bytes, kind == MemoryKind::state ? "the KV cache of a layer" : "a buffer");
  }
  Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& options) override {
    return CommandQueue::make(context_, options);
  }
  std::string path() const override {
    return fmt::format("{} ({}), {} units", device().description, device().driver, device().units);
  }

 private:
  Facts all_facts(const OpCall& call) const {
    Facts facts = facts_of(call);
    facts.merge("device.", facts_of(device()));
    return facts;
  }

  std::shared_ptr<const DeviceContext> context_;
  RuleSet rules_;
  ProgramStore programs_;
  WeightStore weights_;
  std::atomic<std::size_t> next_id_{0};
};

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  const auto devices = find_devices();
  if (!devices) return error_of(devices);
  const auto index = pick_device(*devices, options.device);
  if (!index) return error_of(index);
  auto context = DeviceContext::open((*devices)[*index]);
  if (!context) return error_of(context);
  auto rules = RuleSet::make(backend_name, embedded_rules(), options.rules,
                             [&](std::string_view op) { return vocabulary_of(op, (*context)->info()); });
  if (!rules) return error_of(rules);
  return std::make_unique<OpenClBackend>(std::move(*context), std::move(*rules), options.cache_dir);
}

std::vector<DeviceListing> list_devices() {
  const auto devices = find_devices();
  if (!devices) return {{{}, devices.error().message}};
  std::vector<DeviceListing> listings;
  for (const FoundDevice& device : *devices) listings.push_back({device.info, device.skipped});
  if (listings.empty()) listings.push_back({{}, "no OpenCL platform has a device"});
  return listings;
}

}  // namespace weft::opencl
