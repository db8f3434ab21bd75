// The backend as its callers see it: segments with symbols, bindings that change, weights shared, order of destruction,
// errors, and that enqueueing allocates nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/opencl/device_buffer.hpp"
#include "backends/opencl/opencl_backend.hpp"
#include "backends/opencl/weight_store.hpp"
#include "core/testing/allocation_count.hpp"

namespace weft::opencl {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t width = 33;
constexpr std::int64_t most_tokens = 8;

TensorDesc rows_desc() { return TensorDesc::dense(DType::f32, {Dim(most_tokens, Symbol::tokens), width}); }

/// y = 2 x + w in two steps; x and y are bindings 0 and 1, the product lies in binding 2, w is a constant.
class BackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto backend = make_backend({});
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
    weight_values_.resize(static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < weight_values_.size(); ++i) weight_values_[i] = static_cast<float>(i);
    weight_ = std::make_shared<HostTensor>();
    weight_->name = "w";
    weight_->desc = TensorDesc::dense(DType::f32, {width});
    weight_->data = std::as_bytes(std::span<const float>(weight_values_));
  }

  SegmentStep step(Op op, TensorDescs in, std::vector<std::ptrdiff_t> inputs, std::ptrdiff_t output) {
    OpCall call{std::move(op), std::move(in), {rows_desc()}};
    auto selection = backend_->select(call);
    EXPECT_TRUE(selection) << selection.error().message;
    return {call, selection.value_or(Selection{}), std::move(inputs), {output}, "step"};
  }

  Segment segment() {
    Segment s;
    s.values = {{"x", rows_desc(), nullptr, 0, 0},
                {"doubled", rows_desc(), nullptr, 2, 0},
                {"w", weight_->desc, weight_, 0, 0},
                {"y", rows_desc(), nullptr, 1, 0}};
    s.steps = {step(Scale{2.0F}, {rows_desc()}, {0}, 1), step(Add{}, {rows_desc(), weight_->desc}, {1, 2}, 3)};
    s.bindings = 3;
    return s;
  }

  std::unique_ptr<Buffer> buffer(std::size_t bytes) {
    auto result = backend_->allocate(bytes, MemoryKind::arena);
    EXPECT_TRUE(result) << result.error().message;
    return std::move(*result);
  }

  /// Runs `tokens` rows of `value`; the result's element (row, i) is 2 value + i.
  void expect_run(Queue& queue, const Executable& executable, Bindings bindings, std::int64_t tokens, float value) {
    std::vector<float> x(static_cast<std::size_t>(tokens * width), value);
    const auto bytes = std::as_bytes(std::span(x));
    ASSERT_TRUE(queue.upload({bindings[0].buffer, bindings[0].offset, bytes.size()}, bytes));
    ASSERT_TRUE(executable.enqueue(queue, bindings, SymbolValues().set(Symbol::tokens, tokens)));
    std::vector<float> y(x.size(), -1);
    const auto out = std::as_writable_bytes(std::span(y));
    ASSERT_TRUE(queue.download(out, {bindings[1].buffer, bindings[1].offset, out.size()}));
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], 2 * value + static_cast<float>(i % static_cast<std::size_t>(width))) << i;
    }
  }

  std::vector<float> weight_values_;
  std::shared_ptr<HostTensor> weight_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(BackendTest, OnePlanServesEverySizeAndBinding) {
  const auto executable = backend_->compile(segment());
  ASSERT_TRUE(executable) << executable.error().message;
  const auto queue = backend_->make_queue({});
  ASSERT_TRUE(queue);
  const std::size_t bytes = rows_desc().bytes();
  const auto one = buffer(4 * bytes);
  const auto two = buffer(4 * bytes);
  const std::array first{BufferView{one.get(), 0, bytes}, BufferView{one.get(), bytes, bytes},
                         BufferView{one.get(), 2 * bytes, bytes}};
  const std::array second{BufferView{two.get(), bytes, bytes}, BufferView{one.get(), 0, bytes},
                          BufferView{two.get(), 3 * bytes, bytes}};
  expect_run(**queue, **executable, first, 3, 1.5F);
  expect_run(**queue, **executable, second, 8, 2.5F);
  expect_run(**queue, **executable, first, 1, 3.5F);
  expect_run(**queue, **executable, first, 0, 4.5F);
  expect_run(**queue, **executable, first, 7, 5.5F);
  EXPECT_THAT((*executable)->description(), HasSubstr("2 launches"));
}

TEST_F(BackendTest, EnqueueAllocatesNothing) {
  const auto executable = backend_->compile(segment());
  ASSERT_TRUE(executable);
  const auto queue = backend_->make_queue({});
  ASSERT_TRUE(queue);
  const std::size_t bytes = rows_desc().bytes();
  const auto memory = buffer(4 * bytes);
  const std::array views{BufferView{memory.get(), 0, bytes}, BufferView{memory.get(), bytes, bytes},
                         BufferView{memory.get(), 2 * bytes, bytes}};
  const std::array moved{BufferView{memory.get(), 0, bytes}, BufferView{memory.get(), 3 * bytes, bytes},
                         BufferView{memory.get(), 2 * bytes, bytes}};
  expect_run(**queue, **executable, views, 3, 1.0F);
  ASSERT_TRUE((*queue)->finish());
  const std::size_t before = weft::testing::allocation_count();
  Status ok;
  for (std::int64_t tokens = 1; tokens <= most_tokens && ok; ++tokens) {
    const auto& bindings = tokens % 2 == 0 ? views : moved;
    ok = (*executable)->enqueue(**queue, bindings, SymbolValues().set(Symbol::tokens, tokens));
  }
  const std::size_t during = weft::testing::allocation_count() - before;
  ASSERT_TRUE(ok);
  EXPECT_EQ(during, 0U);
  ASSERT_TRUE((*queue)->finish());
}

TEST_F(BackendTest, TimesAreThereWhenAskedForAndChangeNothing) {
  const auto executable = backend_->compile(segment());
  ASSERT_TRUE(executable);
  const std::size_t bytes = rows_desc().bytes();
  const auto memory = buffer(3 * bytes);
  const std::array views{BufferView{memory.get(), 0, bytes}, BufferView{memory.get(), bytes, bytes},
                         BufferView{memory.get(), 2 * bytes, bytes}};
  const auto silent = backend_->make_queue({});
  expect_run(**silent, **executable, views, 5, 1.0F);
  EXPECT_TRUE((*silent)->take_times().empty());
  const auto timed = backend_->make_queue({.times = true});
  expect_run(**timed, **executable, views, 5, 1.0F);
  ASSERT_TRUE((*timed)->finish());
  const auto times = (*timed)->take_times();
  ASSERT_EQ(times.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(times[i].segment, (*executable)->id());
    EXPECT_EQ(times[i].step, i);
    EXPECT_GE(times[i].seconds, 0);
  }
  EXPECT_TRUE((*timed)->take_times().empty());
}

TEST_F(BackendTest, EverythingOutlivesTheBackend) {
  auto executable = backend_->compile(segment());
  ASSERT_TRUE(executable);
  auto queue = backend_->make_queue({});
  const std::size_t bytes = rows_desc().bytes();
  auto memory = buffer(3 * bytes);
  backend_.reset();
  const std::array views{BufferView{memory.get(), 0, bytes}, BufferView{memory.get(), bytes, bytes},
                         BufferView{memory.get(), 2 * bytes, bytes}};
  expect_run(**queue, **executable, views, 4, 1.0F);
  const auto event = (*queue)->record();
  ASSERT_TRUE(event);
  EXPECT_TRUE((*queue)->after(**event));
  executable->reset();
  memory.reset();
  queue->reset();
}

TEST_F(BackendTest, QueuesOfTheSameDeviceWaitForEachOther) {
  const auto executable = backend_->compile(segment());
  const auto one = backend_->make_queue({});
  const auto two = backend_->make_queue({});
  const std::size_t bytes = rows_desc().bytes();
  const auto memory = buffer(4 * bytes);
  const std::array views{BufferView{memory.get(), 0, bytes}, BufferView{memory.get(), bytes, bytes},
                         BufferView{memory.get(), 2 * bytes, bytes}};
  expect_run(**one, **executable, views, 8, 3.0F);
  ASSERT_TRUE((*one)->copy({memory.get(), 3 * bytes, bytes}, {memory.get(), bytes, bytes}));
  const auto done = (*one)->record();
  ASSERT_TRUE(done);
  ASSERT_TRUE((*two)->after(**done));
  std::vector<float> y(bytes / sizeof(float));
  ASSERT_TRUE((*two)->download(std::as_writable_bytes(std::span(y)), {memory.get(), 3 * bytes, bytes}));
  EXPECT_EQ(y[0], 6.0F);
  EXPECT_EQ(y.back(), 6.0F + static_cast<float>(width - 1));
}

TEST_F(BackendTest, StrangersAndRangesBeyondTheEndAreErrors) {
  const auto executable = backend_->compile(segment());
  ASSERT_TRUE(executable);
  const auto queue = backend_->make_queue({});
  const auto memory = buffer(16);
  const std::array<std::byte, 16> bytes{};
  EXPECT_FALSE((*queue)->upload({memory.get(), 8, 16}, bytes));
  EXPECT_FALSE((*queue)->upload({memory.get(), 0, 8}, bytes)) << "sizes differ";
  EXPECT_FALSE((*queue)->upload({nullptr, 0, 16}, bytes));
  const auto other = make_backend({});
  ASSERT_TRUE(other);
  const auto foreign = (*other)->allocate(16, MemoryKind::arena);
  ASSERT_TRUE(foreign);
  EXPECT_FALSE((*queue)->upload({foreign->get(), 0, 16}, bytes));
  const auto foreign_queue = (*other)->make_queue({});
  EXPECT_FALSE((*executable)->enqueue(**foreign_queue, {}, {}));
  EXPECT_FALSE((*executable)->enqueue(**queue, {}, {})) << "too few bindings";
}

TEST_F(BackendTest, MoreThanTheDevicesCapIsOutOfMemory) {
  const auto cap = static_cast<std::size_t>(backend_->device().max_allocation_bytes);
  const auto refused = backend_->allocate(cap + 1, MemoryKind::state);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_THAT(refused.error().message, HasSubstr("KV cache"));
}

TEST_F(BackendTest, RefusesWithTheFactsThatFailed) {
  CacheSpec cache{.k_type = DType::q8_0, .v_type = DType::f16, .kv_heads = 1, .dk = 64, .dv = 64};
  const auto ints = [](std::int64_t n) { return TensorDesc::dense(DType::i32, {n}); };
  const OpCall call{KvAppend{cache},
                    {TensorDesc::dense(DType::f32, {1, 1, 64}), TensorDesc::dense(DType::f32, {1, 1, 64}), ints(1),
                     ints(1), TensorDesc::dense(DType::i32, {1, 1}), TensorDesc::dense(DType::state, {4})},
                    {TensorDesc::dense(DType::state, {4})}};
  const auto refused = backend_->select(call);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("kv.k_type"));
}

TEST_F(BackendTest, AnUnknownDeviceAndABrokenRuleFileAreErrors) {
  BackendOptions options;
  options.device = "no such device";
  const auto nobody = make_backend(options);
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("OpenCL0"));
  options.device.clear();
  options.rules = {{"mine.json", R"({"schema":1,"op":"add","rules":[{"when":{},"use":"magic","why":"x"}]})"}};
  const auto broken = make_backend(options);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("mine.json"));
}

TEST_F(BackendTest, AParameterOutOfRangeIsNamedWithItsRule) {
  BackendOptions options;
  options.rules = {
      {"mine.json", R"({"schema":1,"op":"add","rules":[{"when":{},"use":"elements","with":{"LANES":7},"why":"x"}]})"}};
  auto backend = make_backend(options);
  ASSERT_TRUE(backend) << backend.error().message;
  backend_ = std::move(*backend);
  const auto refused = backend_->compile(segment());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("mine.json#1"));
  EXPECT_THAT(refused.error().message, HasSubstr("LANES is 7"));
}

TEST(WeightStoreTest, AConstantIsUploadedOncePerLayoutAndGoesWithItsLastUser) {
  const auto devices = find_devices();
  ASSERT_TRUE(devices);
  const auto context = DeviceContext::open((*devices)[pick_device(*devices, "").value()]);
  ASSERT_TRUE(context);
  WeightStore store(*context);
  const std::vector<std::byte> bytes(18 * 16);
  auto tensor = std::make_shared<HostTensor>();
  tensor->name = "w";
  tensor->desc = TensorDesc::dense(DType::q4_0, {8, 64});
  tensor->data = bytes;
  auto one = store.get(tensor, WeightLayout::planes);
  ASSERT_TRUE(one);
  const std::uint64_t serial = (*one)->serial();
  auto two = store.get(tensor, WeightLayout::planes);
  ASSERT_TRUE(two);
  EXPECT_EQ((*two)->serial(), serial);
  EXPECT_NE(store.get(tensor, WeightLayout::blocks).value()->serial(), serial);
  one->reset();
  two->reset();
  EXPECT_NE(store.get(tensor, WeightLayout::planes).value()->serial(), serial);
}

}  // namespace
}  // namespace weft::opencl
