// Selection by rules, and the parts put together.
#include "backends/cpu/cpu_backend.hpp"

#include <unistd.h>

#include <atomic>

#include "backends/cpu/cpu_features.hpp"
#include "backends/cpu/cpu_quota.hpp"
#include "backends/cpu/executable.hpp"
#include "backends/cpu/op_table.hpp"
#include "core/embedded_file.hpp"
#include "core/rules/rule_set.hpp"

namespace weft::cpu {

[[nodiscard]] std::span<const EmbeddedFile> embedded_rules();
/// limits.json alone.
[[nodiscard]] std::span<const EmbeddedFile> embedded_limits();

namespace {

constexpr std::int64_t most_threads = 1024;

class CpuBackend final : public Backend {
 public:
  CpuBackend(DeviceInfo device, RuleSet rules, std::shared_ptr<SharedContext> context, std::string path)
      : device_(std::move(device)),
        device_facts_(facts_of(device_)),
        rules_(std::move(rules)),
        context_(std::move(context)),
        path_(std::move(path)) {}

  std::string_view name() const override { return "cpu"; }
  const DeviceInfo& device() const override { return device_; }
  std::span<const RuleTable> rules() const override { return rules_.tables(); }
  EmbeddedFile limits() const override { return embedded_limits().front(); }
  std::string path() const override { return path_; }

  Result<Selection> select(const OpCall& call) const override {
    return rules_.select(weft::name_of(call.op), facts(call));
  }
  std::vector<Selection> alternatives(const OpCall& call) const override {
    return rules_.alternatives(weft::name_of(call.op), facts(call));
  }
  Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    return compile_segment(context_, segment, next_id_.fetch_add(1));
  }
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind /*kind*/) override {
    return HostBuffer::allocate(bytes);
  }
  Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& options) override {
    return std::make_unique<CpuQueue>(context_, options);
  }

 private:
  Facts facts(const OpCall& call) const {
    Facts facts = facts_of(call);
    facts.set("layout", context_->weights.layouts().fact_of(call));
    facts.merge("device.", device_facts_);
    return facts;
  }

  DeviceInfo device_;
  Facts device_facts_;
  RuleSet rules_;
  std::shared_ptr<SharedContext> context_;
  std::string path_;
  std::atomic<std::size_t> next_id_{0};
};

DeviceInfo device_info(std::vector<std::string> features, const ThreadChoice& threads) {
  const HostMemory memory = host_memory();
  DeviceInfo device;
  device.id = "CPU";
  device.description = fmt::format("{}, threads {} ({})", processor_name(), threads.threads, threads.reason);
  if (!threads.note.empty()) device.description += fmt::format("; {}", threads.note);
  device.vendor = "cpu";
  device.units = threads.threads;
  device.local_bytes = std::max<std::int64_t>(0, sysconf(_SC_LEVEL2_CACHE_SIZE));
  device.max_allocation_bytes = memory.total_bytes;
  device.total_bytes = memory.total_bytes;
  device.free_bytes = memory.free_bytes;
  device.features = std::move(features);
  device.memory_domain = "host";
  return device;
}

std::string path_of(const std::vector<std::string>& features, std::int64_t threads) {
  std::string isa = "portable";
  for (const std::string_view name : {"avx2", "avx_vnni", "avx512", "avx512_vnni"}) {
    if (has_feature(features, name)) isa = name;
  }
  return fmt::format("{}, {} thread{}", isa, threads, threads == 1 ? "" : "s");
}

VocabularyOf vocabulary_of(const DeviceInfo& device, const std::vector<Kernel>& kernels) {
  return [&device, &kernels](std::string_view op) {
    if (op == WeightLayouts::table_name) return WeightLayouts::vocabulary(device);
    RuleVocabulary vocabulary;
    for (const Kernel& kernel : kernels) {
      if (kernel.op == op) vocabulary.choices.emplace_back(variant_of(kernel.name));
    }
    if (vocabulary.choices.empty()) return vocabulary;
    vocabulary.facts = example_call_facts(op);
    vocabulary.facts.set("layout", "panel16");
    vocabulary.facts.merge("device.", facts_of(device));
    return vocabulary;
  };
}

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  if (options.threads < 0 || options.threads > most_threads) {
    return fail(ErrorCode::invalid_argument, "cpu: {} threads were asked for, wanted 1 to {}, or 0 to choose",
                options.threads, most_threads);
  }
  auto features = features_for(options.isa, detect_features());
  if (!features) return error_of(features);
  const ThreadChoice threads = choose_threads(options.threads, usable_cores(), read_cpu_quota("/"));
  const std::string path = path_of(*features, threads.threads);
  const DeviceInfo device = device_info(std::move(*features), threads);
  std::vector<Kernel> kernels = all_kernels();
  auto rules = RuleSet::make("cpu", embedded_rules(), options.rules, vocabulary_of(device, kernels));
  if (!rules) return error_of(rules);
  const RuleTable* layouts = rules->find(WeightLayouts::table_name);
  if (layouts == nullptr) return fail(ErrorCode::internal, "cpu: no rule table \"{}\"", WeightLayouts::table_name);
  auto context = std::make_shared<SharedContext>(static_cast<int>(threads.threads), WeightLayouts(*layouts, device));
  context->kernels = std::move(kernels);
  return std::make_unique<CpuBackend>(device, std::move(*rules), std::move(context), path);
}

}  // namespace weft::cpu
