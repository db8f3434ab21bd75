// The backend as its users see it: options, selection, segments of several steps, times, and what enqueue must not do.
#include "backends/cpu/cpu_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/half.hpp"
#include "core/ops.hpp"
#include "core/testing/allocation_count.hpp"

namespace weft::cpu {
namespace {

std::unique_ptr<Backend> backend_with(std::int64_t threads, const std::string& isa = "") {
  BackendOptions options;
  options.threads = threads;
  options.isa = isa;
  auto backend = make_backend(options);
  EXPECT_TRUE(backend) << (backend ? "" : backend.error().message);
  return backend ? std::move(*backend) : nullptr;
}

/// A q4_1 weight whose codes and fields follow from `seed`.
std::shared_ptr<const HostTensor> q4_1_weight(std::int64_t n, std::int64_t k, std::uint32_t seed) {
  const TensorDesc desc = TensorDesc::dense(DType::q4_1, {n, k});
  auto bytes = std::make_shared<std::vector<std::byte>>(desc.bytes());
  for (std::size_t i = 0; i < bytes->size(); ++i) (*bytes)[i] = static_cast<std::byte>((i * 29 + seed) % 251);
  const std::uint16_t scale = f32_to_f16(0.02F);
  const std::uint16_t minimum = f32_to_f16(-0.15F);
  for (std::size_t at = 0; at < bytes->size(); at += 20) {
    std::memcpy(bytes->data() + at, &scale, 2);
    std::memcpy(bytes->data() + at + 2, &minimum, 2);
  }
  return std::make_shared<HostTensor>(HostTensor{"w", desc, *bytes, bytes});
}

constexpr std::int64_t width = 288;
constexpr std::int64_t inner = 160;

/// rms_norm -> quant_matmul -> silu -> matmul_add with the input as residual, for up to `tokens` tokens. Binding 0
/// holds x, binding 1 the intermediate values and y.
struct Chain {
  Chain(Backend& backend, std::int64_t tokens) : most(tokens) {
    const Dim t(tokens, Symbol::tokens);
    const auto matrix = [&](std::int64_t n) { return TensorDesc::dense(DType::f32, {t, n}); };
    const auto bytes = [&](std::int64_t n) { return static_cast<std::size_t>(tokens * n) * 4; };
    segment.bindings = 2;
    add_value("x", matrix(width), 0, 0);
    add_value("h", matrix(width), 1, 0);
    add_value("g", matrix(inner), 1, bytes(width));
    add_value("a", matrix(inner), 1, bytes(width + inner));
    add_value("y", matrix(width), 1, bytes(width + 2 * inner));
    arena_bytes = bytes(2 * width + 2 * inner);
    add_weight(q4_1_weight(inner, width, 3));
    add_weight(q4_1_weight(width, inner, 5));
    add_step(backend, RmsNorm{}, {0, no_value}, {1});
    add_step(backend, QuantMatmul{}, {1, 5, no_value}, {2});
    add_step(backend, Activation{}, {2}, {3});
    add_step(backend, MatmulAdd{}, {3, 6, no_value, 0}, {4});
  }

  void add_value(const char* name, const TensorDesc& desc, std::size_t binding, std::size_t offset) {
    segment.values.push_back({name, desc, nullptr, binding, offset});
  }
  void add_weight(const std::shared_ptr<const HostTensor>& tensor) {
    segment.values.push_back({tensor->name, tensor->desc, tensor, 0, 0});
  }
  TensorDescs descs(const std::vector<std::ptrdiff_t>& indices) const {
    TensorDescs all;
    for (const std::ptrdiff_t i : indices) {
      all.push_back(i == no_value ? TensorDesc::absent() : segment.values[static_cast<std::size_t>(i)].desc);
    }
    return all;
  }
  void add_step(Backend& backend, const Op& op, std::vector<std::ptrdiff_t> in, std::vector<std::ptrdiff_t> out) {
    OpCall call{op, descs(in), descs(out), Phase::prefill, Precision::fast};
    auto selection = backend.select(call);
    ASSERT_TRUE(selection) << selection.error().message;
    segment.steps.push_back({std::move(call), *selection, std::move(in), std::move(out), "step"});
  }

  Segment segment;
  std::int64_t most = 0;
  std::size_t arena_bytes = 0;
};

/// A compiled chain with its buffers.
class Running {
 public:
  Running(Backend& backend, std::int64_t most, const QueueOptions& options = {}) : chain_(backend, most) {
    executable_ = backend.compile(chain_.segment).value();
    queue_ = backend.make_queue(options).value();
    x_ = backend.allocate(static_cast<std::size_t>(most * width) * 4, MemoryKind::arena).value();
    arena_ = backend.allocate(chain_.arena_bytes, MemoryKind::arena).value();
    auto* x = reinterpret_cast<float*>(x_->host());
    for (std::int64_t i = 0; i < most * width; ++i) x[i] = std::sin(static_cast<float>(i) * 0.37F) * 2;
  }
  Status run(std::int64_t tokens) {
    const BufferView bindings[] = {{x_.get(), 0, x_->bytes()}, {arena_.get(), 0, arena_->bytes()}};
    return executable_->enqueue(*queue_, bindings, SymbolValues().set(Symbol::tokens, tokens));
  }
  std::vector<float> output(std::int64_t tokens) const {
    const auto* y = reinterpret_cast<const float*>(arena_->host() + chain_.segment.values[4].byte_offset);
    return {y, y + tokens * width};
  }
  Queue& queue() { return *queue_; }
  const Executable& executable() const { return *executable_; }

 private:
  Chain chain_;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Buffer> x_, arena_;
};

std::vector<float> result(Backend& backend, std::int64_t most, std::int64_t tokens) {
  Running running(backend, most);
  const Status status = running.run(tokens);
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
  return running.output(tokens);
}

TEST(CpuBackend, BitsDontDependOnTheNumberOfThreads) {
  const std::vector<float> one = result(*backend_with(1), 37, 37);
  for (const std::int64_t threads : {2, 3, 8}) EXPECT_EQ(result(*backend_with(threads), 37, 37), one) << threads;
}

TEST(CpuBackend, ATokensBitsDontDependOnTheOthers) {
  const auto backend = backend_with(2);
  const std::vector<float> many = result(*backend, 40, 40);
  for (const std::int64_t tokens : {1, 2, 3, 7, 8, 9, 12, 13, 31}) {
    const std::vector<float> few = result(*backend, 40, tokens);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << tokens << " tokens";
  }
}

TEST(CpuBackend, InstructionSetsAgree) {
  const std::vector<float> wanted = result(*backend_with(2, "portable"), 13, 13);
  for (const std::string isa : {"avx2", "avx512"}) {
    BackendOptions options;
    options.isa = isa;
    const auto backend = make_backend(options);
    if (!backend) continue;  // this machine lacks it
    const std::vector<float> got = result(**backend, 13, 13);
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 0.02) << isa << " element " << i;
  }
}

TEST(CpuBackend, TwoBackendsWorkInOneProcess) {
  const auto a = backend_with(2);
  const auto b = backend_with(1);
  Running first(*a, 5);
  Running second(*b, 5);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(first.run(5));
    ASSERT_TRUE(second.run(5));
  }
  EXPECT_EQ(first.output(5), second.output(5));
}

TEST(CpuBackend, AnExecutableOutlivesItsBackend) {
  auto backend = backend_with(2);
  Running running(*backend, 3);
  backend.reset();
  EXPECT_TRUE(running.run(3));
}

TEST(CpuBackend, EnqueueAllocatesNothing) {
  const auto backend = backend_with(2);
  Running running(*backend, 16);
  ASSERT_TRUE(running.run(16));
  for (const std::int64_t tokens : {1, 2, 9, 16}) {
    const std::size_t before = testing::allocation_count();
    const bool ok = running.run(tokens).has_value();
    // Sending for a worker that went idle is oneTBB's own allocation, which is not by operator new.
    EXPECT_EQ(testing::allocation_count() - before, 0U) << tokens << " tokens";
    EXPECT_TRUE(ok);
  }
}

TEST(CpuBackend, TimesAreOfEachStepAndChangeNothing) {
  const auto backend = backend_with(2);
  Running plain(*backend, 9);
  Running timed(*backend, 9, {.times = true});
  ASSERT_TRUE(plain.run(9));
  ASSERT_TRUE(timed.run(9));
  const std::vector<StepTime> times = timed.queue().take_times();
  ASSERT_EQ(times.size(), 4U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(times[i].step, i);
    EXPECT_EQ(times[i].segment, timed.executable().id());
    EXPECT_GE(times[i].seconds, 0);
  }
  EXPECT_EQ(plain.output(9), timed.output(9));
  EXPECT_TRUE(timed.queue().take_times().empty());
  EXPECT_TRUE(plain.queue().take_times().empty());
}

TEST(CpuBackend, PackedWeightsAreShared) {
  const auto backend = backend_with(1);
  Chain chain(*backend, 4);
  const auto first = backend->compile(chain.segment).value();
  const auto second = backend->compile(chain.segment).value();
  EXPECT_EQ(first->resident_bytes(), second->resident_bytes());
  EXPECT_GT(first->resident_bytes(), chain.segment.values[5].desc.bytes());
  EXPECT_NE(first->id(), second->id());
}

TEST(CpuBackend, BindingsAreChecked) {
  const auto backend = backend_with(1);
  Chain chain(*backend, 4);
  const auto executable = backend->compile(chain.segment).value();
  const auto queue = backend->make_queue({}).value();
  const BufferView none[2] = {};
  const Status missing = executable->enqueue(*queue, none, SymbolValues().set(Symbol::tokens, 1));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("binding"), std::string::npos);
  const Status few = executable->enqueue(*queue, std::span(none, 1), SymbolValues().set(Symbol::tokens, 1));
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, ErrorCode::invalid_argument);
}

TEST(CpuBackend, OptionsAreChecked) {
  BackendOptions options;
  options.threads = -1;
  EXPECT_EQ(make_backend(options).error().code, ErrorCode::invalid_argument);
  options = {};
  options.isa = "sse9";
  EXPECT_EQ(make_backend(options).error().code, ErrorCode::invalid_argument);
  options = {};
  options.rules = {
      {"mine.json", "{\"schema\": 1, \"op\": \"add\", \"rules\": [{\"when\": {}, \"use\": \"nothing\"}]}"}};
  const auto broken = make_backend(options);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::invalid_file);
  EXPECT_NE(broken.error().message.find("mine.json"), std::string::npos);
}

TEST(CpuBackend, ALayoutWithoutAKernelIsRefused) {
  BackendOptions options;
  options.threads = 1;
  options.rules = {{"mine.json", R"({"schema": 1, "op": "weight_layout", "rules": [
    {"when": {}, "use": "rows", "why": "a layout that quantised weights have no kernel for"}]})"}};
  const auto backend = make_backend(options);
  ASSERT_TRUE(backend) << backend.error().message;
  Chain chain(**backend, 4);
  const auto executable = (*backend)->compile(chain.segment);
  ASSERT_FALSE(executable);
  EXPECT_EQ(executable.error().code, ErrorCode::unsupported);
  EXPECT_NE(executable.error().message.find("q4_1"), std::string::npos);
}

TEST(CpuBackend, SaysWhatItRunsOn) {
  const auto backend = backend_with(3, "portable");
  EXPECT_EQ(backend->path(), "portable, 3 threads");
  EXPECT_EQ(backend->device().units, 3);
  EXPECT_EQ(backend->device().memory_domain, "host");
  EXPECT_NE(backend->device().description.find("threads 3 (as asked for)"), std::string::npos);
}

}  // namespace
}  // namespace weft::cpu
