// A backend for tests of the graph: host memory, op references as kernels, and knobs that make placement and the
// executor show what they do.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"

namespace weft::graph::testing {

/// Work is done when someone waits for it, so that a missing wait shows as a wrong result.
enum class FakeTiming : std::uint8_t { at_once, when_waited_for };

struct FakeOptions {
  std::string name = "fake";
  std::string domain = "host";
  /// Why a call is refused; empty when it is taken.
  std::function<std::string(const OpCall&)> refuse = [](const OpCall&) { return std::string(); };
  FakeTiming timing = FakeTiming::at_once;
  bool computes = true;          ///< false: enqueue() only counts, and allocates nothing
  std::size_t failing_step = 0;  ///< enqueue() number that fails, from 1; 0 = none
};

/// What happened, shared by all fakes of a test so that their order is seen.
struct FakeLog {
  std::vector<std::string> events;  ///< "cpu: rms_norm attn_norm", "cpu: upload", "cpu: finish" …
  std::size_t enqueues = 0;
  std::size_t uploads = 0;
  std::size_t downloads = 0;
  bool writing = true;  ///< false: counts only, and allocates nothing
  void note(std::string_view who, std::string_view what) {
    if (writing) events.push_back(std::string(who) + ": " + std::string(what));
  }
};

/// Starts as NaN, so that a read of what nobody wrote is seen.
class FakeBuffer final : public Buffer {
 public:
  explicit FakeBuffer(std::size_t bytes) : bytes_(bytes, std::byte{0xFF}) {}
  [[nodiscard]] std::size_t bytes() const override { return bytes_.size(); }
  [[nodiscard]] std::byte* host() override { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
};

class FakeQueue final : public Queue {
 public:
  FakeQueue(const FakeOptions& options, std::shared_ptr<FakeLog> log, const QueueOptions& queue)
      : options_(options), log_(std::move(log)), times_wanted_(queue.times) {}

  Status upload(const BufferView& target, std::span<const std::byte> source) override {
    ++log_->uploads;
    log_->note(options_.name, "upload");
    if (Status ok = check(target, source.size()); !ok) return ok;
    if (options_.timing == FakeTiming::at_once) {
      std::memcpy(target.buffer->host() + target.offset, source.data(), source.size());
      return {};
    }
    work_.push_back([target, bytes = std::vector<std::byte>(source.begin(), source.end())] {
      std::memcpy(target.buffer->host() + target.offset, bytes.data(), bytes.size());
    });
    return {};
  }
  Status download(std::span<std::byte> target, const BufferView& source) override {
    ++log_->downloads;
    log_->note(options_.name, "download");
    if (Status ok = check(source, target.size()); !ok) return ok;
    drain();
    std::memcpy(target.data(), source.buffer->host() + source.offset, target.size());
    return {};
  }
  Status copy(const BufferView& target, const BufferView& source) override {
    if (Status ok = check(target, source.bytes); !ok) return ok;
    do_or_keep([target, source] {
      std::memmove(target.buffer->host() + target.offset, source.buffer->host() + source.offset, source.bytes);
    });
    return {};
  }
  Result<std::unique_ptr<Event>> record() override { return std::make_unique<Event>(); }
  Status after(const Event&) override { return {}; }
  Status finish() override {
    log_->note(options_.name, "finish");
    drain();
    return {};
  }
  std::vector<StepTime> take_times() override { return std::exchange(times_, {}); }

  template <class Work>
  void do_or_keep(Work work) {
    if (options_.timing == FakeTiming::at_once) {
      work();
    } else {
      work_.push_back(std::move(work));
    }
  }
  void add_time(const StepTime& time) {
    if (times_wanted_) times_.push_back(time);
  }

 private:
  static Status check(const BufferView& view, std::size_t bytes) {
    if (view.buffer != nullptr && bytes <= view.bytes && view.offset + bytes <= view.buffer->bytes()) return {};
    return fail(ErrorCode::internal, "fake: transfer of {} bytes at {} is outside its buffer", bytes, view.offset);
  }
  void drain() {
    for (const auto& work : std::exchange(work_, {})) work();
  }

  const FakeOptions& options_;
  std::shared_ptr<FakeLog> log_;
  bool times_wanted_ = false;
  std::vector<std::function<void()>> work_;
  std::vector<StepTime> times_;
};

class FakeExecutable final : public Executable {
 public:
  FakeExecutable(const FakeOptions& options, std::shared_ptr<FakeLog> log, Segment segment, std::size_t id)
      : options_(options), log_(std::move(log)), segment_(std::make_shared<Segment>(std::move(segment))), id_(id) {}

  Status enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const override {
    ++log_->enqueues;
    if (bindings.size() != segment_->bindings) return fail(ErrorCode::internal, "fake: wrong number of bindings");
    if (log_->enqueues == options_.failing_step) return fail(ErrorCode::device_lost, "fake: the device is gone");
    if (!options_.computes) return {};
    auto& fake = static_cast<FakeQueue&>(queue);
    for (std::size_t s = 0; s < segment_->steps.size(); ++s) {
      const SegmentStep& step = segment_->steps[s];
      log_->note(options_.name, std::string(name_of(step.call.op)) + " " + step.name);
      fake.do_or_keep([segment = segment_, s, kept = std::vector<BufferView>(bindings.begin(), bindings.end()),
                       symbols] { run_step(*segment, segment->steps[s], kept, symbols); });
      fake.add_time({id_, s, static_cast<double>(s) + 1.0});
    }
    return {};
  }
  std::size_t id() const override { return id_; }
  std::string description() const override { return "references of " + std::to_string(segment_->steps.size()); }

 private:
  static MutableHostView view_of_value(const SegmentValue& value, Bindings bindings, const SymbolValues& symbols) {
    MutableHostView view{value.desc.at(symbols), nullptr};
    if (value.constant) {
      view.data = const_cast<std::byte*>(value.constant->data.data());  // references only read it
    } else {
      const BufferView& binding = bindings[value.binding];
      view.data = binding.buffer->host() + binding.offset + value.byte_offset;
    }
    return view;
  }

  static void run_step(const Segment& segment, const SegmentStep& step, Bindings bindings,
                       const SymbolValues& symbols) {
    std::vector<ConstHostView> in;
    std::vector<MutableHostView> out;
    for (const std::ptrdiff_t v : step.inputs) {
      in.push_back(v == no_value
                       ? ConstHostView{}
                       : weft::as_const(view_of_value(segment.values[static_cast<std::size_t>(v)], bindings, symbols)));
    }
    for (const std::ptrdiff_t v : step.outputs) {
      out.push_back(view_of_value(segment.values[static_cast<std::size_t>(v)], bindings, symbols));
    }
    reference(step.call.op, in, out);
  }

  const FakeOptions& options_;
  std::shared_ptr<FakeLog> log_;
  std::shared_ptr<const Segment> segment_;
  std::size_t id_;
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(FakeOptions options, std::shared_ptr<FakeLog> log = std::make_shared<FakeLog>())
      : options_(std::move(options)), log_(std::move(log)) {
    device_.id = options_.name;
    device_.memory_domain = options_.domain;
  }
  [[nodiscard]] FakeLog& log() const { return *log_; }
  [[nodiscard]] const std::vector<Segment>& compiled() const { return compiled_; }

  std::string_view name() const override { return options_.name; }
  const DeviceInfo& device() const override { return device_; }
  Result<Selection> select(const OpCall& call) const override {
    const std::string why = options_.refuse(call);
    if (!why.empty()) return fail(ErrorCode::unsupported, "{}", why);
    Selection selection;
    selection.kernel = options_.name + "/" + std::string(name_of(call.op)) + "/reference";
    selection.rule = "fake#1";
    return selection;
  }
  std::vector<Selection> alternatives(const OpCall& call) const override {
    auto selection = select(call);
    if (!selection) return {};
    return {std::move(*selection)};
  }
  std::span<const RuleTable> rules() const override { return {}; }
  Result<std::unique_ptr<Executable>> compile(const Segment& segment) override {
    compiled_.push_back(segment);
    return std::make_unique<FakeExecutable>(options_, log_, segment, compiled_.size());
  }
  Result<std::unique_ptr<Buffer>> allocate(std::size_t bytes, MemoryKind) override {
    return std::make_unique<FakeBuffer>(bytes);
  }
  Result<std::unique_ptr<Queue>> make_queue(const QueueOptions& queue) override {
    return std::make_unique<FakeQueue>(options_, log_, queue);
  }
  std::string path() const override { return "fake"; }

 private:
  FakeOptions options_;
  std::shared_ptr<FakeLog> log_;
  DeviceInfo device_;
  std::vector<Segment> compiled_;
};

[[nodiscard]] inline std::shared_ptr<FakeBackend> fake(FakeOptions options = {}) {
  return std::make_shared<FakeBackend>(std::move(options));
}

/// Refuses ops by name.
[[nodiscard]] inline std::function<std::string(const OpCall&)> refusing(std::vector<std::string> ops) {
  return [ops = std::move(ops)](const OpCall& call) -> std::string {
    for (const std::string& op : ops) {
      if (op == name_of(call.op)) return "no kernel for " + op;
    }
    return {};
  };
}

}  // namespace weft::graph::testing
