// A plug-in whose one kernel is right, but for what its "device" is called after.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "core/plugin.hpp"
#include "tests/conformance/mutant_backend.hpp"

namespace {

using namespace weft;

constexpr std::string_view limits_text = R"({"schema": 1, "limits": [
  {"op": {"not": "softcap"}, "when": {}, "reason": "a test needs one op"}]})";

/// One sample of softcap has this cap, "cap below the values".
bool is_the_one(const Op& op) {
  const auto* softcap = std::get_if<Softcap>(&op);
  return softcap != nullptr && softcap->cap == 1.0F;
}

[[noreturn]] void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void break_as(const std::string& how) {
  if (how == "abort") std::abort();
  if (how == "segfault") std::raise(SIGSEGV);
  if (how == "hang") hang();
  if (how == "leave") std::_Exit(0);
}

class BreakingBackend final : public Backend {
 public:
  explicit BreakingBackend(std::string how)
      : how_(std::move(how)),
        right_({.op = "softcap",
                .kernel =
                    [this](const conformance::KernelRun& run) {
                      if (how_ == "always abort") std::abort();
                      if (is_the_one(run.op)) break_as(how_);
                      conformance::run_reference(run);
                    }},
               {"breaking/limits.json", limits_text}) {}
  ~BreakingBackend() override {
    if (how_ == "closing abort") std::abort();
  }
  BreakingBackend(const BreakingBackend&) = delete;
  BreakingBackend& operator=(const BreakingBackend&) = delete;

  [[nodiscard]] std::string_view name() const override { return "mutant"; }
  [[nodiscard]] const DeviceInfo& device() const override { return right_.device(); }
  [[nodiscard]] Result<Selection> select(const OpCall& call) const override {
    if (how_ == "select abort" && is_the_one(call.op)) std::abort();
    return right_.select(call);
  }
  [[nodiscard]] std::vector<Selection> alternatives(const OpCall& call) const override {
    return right_.alternatives(call);
  }
  [[nodiscard]] std::span<const RuleTable> rules() const override { return right_.rules(); }
  [[nodiscard]] EmbeddedFile limits() const override { return right_.limits(); }
  [[nodiscard]] Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    return right_.compile(segment);
  }
  [[nodiscard]] Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind kind) override {
    return right_.allocate(bytes, kind);
  }
  [[nodiscard]] Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& options) override {
    return right_.make_queue(options);
  }
  [[nodiscard]] std::string path() const override { return right_.path(); }

 private:
  std::string how_;
  conformance::MutantBackend right_;
};

Result<std::unique_ptr<Backend>> create(const BackendOptions& options) {
  if (options.device == "opening abort") std::abort();
  return std::make_unique<BreakingBackend>(options.device);
}

}  // namespace

extern "C" const weft::BackendPlugin* weft_backend_plugin() {
  static const weft::BackendPlugin plugin = weft::describe_backend("mutant", create);
  return &plugin;
}
