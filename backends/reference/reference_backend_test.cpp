// The reference backend runs segments like any other backend.
#include "backends/reference/reference_backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/host_memory.hpp"

namespace weft::reference_backend {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Backend> backend() { return std::move(*make_backend({})); }

TensorDesc tokens_by(std::int64_t width) { return TensorDesc::dense(DType::f32, {Dim(4, Symbol::tokens), Dim(width)}); }

std::shared_ptr<const HostTensor> constant(const Shape& shape, std::vector<float> numbers) {
  auto owner = std::make_shared<std::vector<float>>(std::move(numbers));
  HostTensor tensor{"w", TensorDesc::dense(DType::f32, shape), std::as_bytes(std::span(*owner)), owner};
  return std::make_shared<HostTensor>(std::move(tensor));
}

/// y = softcap(2 * (x w^T)); x in binding 0, everything else in binding 1.
struct ThreeSteps {
  Segment segment;
  explicit ThreeSteps(Backend& b) {
    segment.bindings = 2;
    segment.values = {{"x", tokens_by(2), nullptr, 0, 0},
                      {"w", TensorDesc::dense(DType::f32, {3, 2}), constant({3, 2}, {1, 0, 0, 1, 1, 1}), 0, 0},
                      {"product", tokens_by(3), nullptr, 1, 0},
                      {"scaled", tokens_by(3), nullptr, 1, 64},
                      {"y", tokens_by(3), nullptr, 1, 128}};
    add(b, QuantMatmul{}, {0, 1, no_value}, 2);
    add(b, Scale{2}, {2}, 3);
    add(b, Softcap{1000}, {3}, 4);
  }
  void add(Backend& b, const Op& op, std::vector<std::ptrdiff_t> inputs, std::ptrdiff_t output) {
    SegmentStep step;
    step.call.op = op;
    for (const std::ptrdiff_t i : inputs) {
      step.call.inputs.push_back(i == no_value ? TensorDesc::absent()
                                               : segment.values[static_cast<std::size_t>(i)].desc);
    }
    step.call.outputs = {segment.values[static_cast<std::size_t>(output)].desc};
    step.selection = *b.select(step.call);
    step.inputs = std::move(inputs);
    step.outputs = {output};
    step.name = name_of(op);
    segment.steps.push_back(std::move(step));
  }
};

SymbolValues with_tokens(std::int64_t tokens) { return SymbolValues().set(Symbol::tokens, tokens); }

TEST(ReferenceBackend, SelectsItsOneKernelForEveryOp) {
  const auto b = backend();
  for (const AnySample& s : all_samples()) {
    OpCall call;
    call.op = s.op;
    for (const SampleInput& input : s.inputs) call.inputs.push_back(input.desc);
    const auto selection = b->select(call);
    ASSERT_TRUE(selection) << s.name;
    EXPECT_EQ(selection->kernel, fmt::format("reference/{}/plain", name_of(s.op)));
    EXPECT_EQ(b->alternatives(call).size(), 1U);
  }
  EXPECT_EQ(b->device().memory_domain, "host");
  EXPECT_TRUE(b->rules().empty());
}

TEST(ReferenceBackend, RefusesOperandsThatAreWrong) {
  const auto b = backend();
  OpCall call;
  call.op = Scale{2};
  call.inputs = {TensorDesc::dense(DType::i32, {3})};
  const auto selection = b->select(call);
  ASSERT_FALSE(selection);
  EXPECT_THAT(selection.error().message, HasSubstr("reference: scale: x is i32 [3]"));
}

TEST(ReferenceBackend, RunsThreeStepsForAnyNumberOfTokens) {
  const auto b = backend();
  const ThreeSteps three(*b);
  const auto executable = b->compile(three.segment);
  ASSERT_TRUE(executable) << executable.error().message;
  EXPECT_EQ((*executable)->description(), "3 steps, one after the other");
  const auto x = std::move(*b->allocate(32, MemoryKind::arena));
  const auto arena = std::move(*b->allocate(192, MemoryKind::arena));
  const auto queue = std::move(*b->make_queue({.times = true}));
  const std::array<float, 4> numbers{1, 2, 3, 4};
  ASSERT_TRUE(queue->upload({x.get(), 0, 16}, std::as_bytes(std::span(numbers))));
  const std::array bindings{BufferView{x.get(), 0, 32}, BufferView{arena.get(), 0, 192}};
  for (const std::int64_t tokens : {2, 1, 0, 2}) {
    const Status done = (*executable)->enqueue(*queue, bindings, with_tokens(tokens));
    ASSERT_TRUE(done) << done.error().message;
  }
  ASSERT_TRUE(queue->finish());
  std::vector<float> y(6);
  ASSERT_TRUE(queue->download(std::as_writable_bytes(std::span(y)), {arena.get(), 128, 24}));
  const auto near = [](float v) { return testing::FloatNear(v, 1e-3F); };
  EXPECT_THAT(y, ElementsAre(near(2), near(4), near(6), near(6), near(8), near(14)));
  const std::vector<StepTime> times = queue->take_times();
  ASSERT_EQ(times.size(), 12U);
  EXPECT_EQ(times[2].step, 2U);
  EXPECT_EQ(times[2].segment, (*executable)->id());
  EXPECT_TRUE(queue->take_times().empty());
}

TEST(ReferenceBackend, RefusesBindingsAndSymbolsThatDoNotFit) {
  const auto b = backend();
  const ThreeSteps three(*b);
  const auto executable = std::move(*b->compile(three.segment));
  const auto small = std::move(*b->allocate(8, MemoryKind::arena));
  const auto large = std::move(*b->allocate(192, MemoryKind::arena));
  const auto queue = std::move(*b->make_queue({}));
  const BufferView whole{large.get(), 0, 192};
  const auto message = [&](Bindings bindings, std::int64_t tokens) {
    const Status status = executable->enqueue(*queue, bindings, with_tokens(tokens));
    return status ? std::string() : status.error().message;
  };
  EXPECT_THAT(message(std::array{whole}, 2), HasSubstr("1 bindings, wanted 2"));
  EXPECT_THAT(message(std::array{BufferView{small.get(), 0, 8}, whole}, 2),
              HasSubstr("x: binding 0 has 8 bytes, wanted 16"));
  EXPECT_THAT(message(std::array{whole, whole}, 5), HasSubstr("tokens is 5, wanted 0 to 4"));
  HostQueue foreign;
  EXPECT_FALSE(executable->enqueue(foreign, std::array{whole, whole}, with_tokens(1)));
}

TEST(ReferenceBackend, RefusesSegmentsThatAreBroken) {
  const auto b = backend();
  ThreeSteps three(*b);
  three.segment.steps[1].inputs[0] = 17;
  EXPECT_THAT(b->compile(three.segment).error().message, HasSubstr("scale: operand 17, but the segment has 5 values"));
  ThreeSteps other(*b);
  other.segment.steps[0].selection.kernel = "cpu/quant_matmul/gemm";
  EXPECT_THAT(b->compile(other.segment).error().message, HasSubstr("kernel cpu/quant_matmul/gemm"));
  ThreeSteps third(*b);
  third.segment.bindings = 1;
  EXPECT_THAT(b->compile(third.segment).error().message, HasSubstr("binding 1"));
}

TEST(ReferenceBackend, HasNoRulesToReplace) {
  BackendOptions options;
  options.rules.push_back({"mine.json", "{}"});
  const auto made = make_backend(options);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("mine.json"));
}

}  // namespace
}  // namespace weft::reference_backend
