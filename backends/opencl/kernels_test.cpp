// Every kernel that some rule reaches, against the reference of its op, alone in a segment; weights once as constants
// (planes) and once in bindings (blocks as in files).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "backends/opencl/opencl_backend.hpp"
#include "core/quant/value_block.hpp"
#include "core/rules/rule_set.hpp"
#include "core/sample_data.hpp"

namespace weft::opencl {
namespace {

enum class WeightsAre : std::uint8_t { constants, bindings };

bool is_weight(std::string_view port) {
  constexpr std::array names{"w",           "bias",   "table",   "head",   "gate",   "up",       "gate_bias", "up_bias",
                             "norm_weight", "weight", "w, bias", "q_norm", "k_norm", "divisors", "sinks"};
  return std::ranges::find(names, port) != names.end();
}

/// One call as a segment of one step with its buffers.
class CallRun {
 public:
  CallRun(Backend& backend, Queue& queue, const AnySample& sample, std::vector<OwnedTensor>& inputs)
      : backend_(backend), queue_(queue), sample_(sample), inputs_(inputs) {}

  Result<std::vector<OwnedTensor>> run(const OpCall& call, const Selection& selection, WeightsAre weights) {
    Segment segment;
    SegmentStep step{call, selection, {}, {}, "the step"};
    const auto ports = input_ports(call.op);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].desc().present()) {
        step.inputs.push_back(no_value);
        continue;
      }
      const std::string_view port = ports[std::min(i, ports.size() - 1)].name;
      const bool constant = is_weight(port) && (weights == WeightsAre::constants || port == "divisors");
      if (Status ok = constant ? add_constant(segment, i) : add_buffer(segment, inputs_[i]); !ok) return error_of(ok);
      step.inputs.push_back(static_cast<std::ptrdiff_t>(segment.values.size() - 1));
    }
    std::vector<OwnedTensor> outputs = make_outputs(call.op, call.outputs, inputs_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto alias = std::ranges::find(aliases(call.op), i, &Alias::output);
      if (alias != aliases(call.op).end()) {
        step.outputs.push_back(step.inputs[alias->input]);
        continue;
      }
      if (Status ok = add_buffer(segment, outputs[i]); !ok) return error_of(ok);
      step.outputs.push_back(static_cast<std::ptrdiff_t>(segment.values.size() - 1));
    }
    segment.steps.push_back(step);
    segment.bindings = buffers_.size();
    if (Status ok = run_segment(segment); !ok) return error_of(ok);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const SegmentValue& value = segment.values[static_cast<std::size_t>(step.outputs[i])];
      const BufferView view{buffers_[value.binding].get(), guard, outputs[i].bytes().size()};
      if (Status ok = queue_.download(outputs[i].bytes(), view); !ok) return error_of(ok);
    }
    return outputs;
  }

 private:
  static constexpr std::size_t guard = 256;  // odd places: bindings start inside their buffers

  Status add_constant(Segment& segment, std::size_t index) {
    auto tensor = std::make_shared<HostTensor>();
    tensor->name = fmt::format("input {}", index);
    tensor->desc = inputs_[index].desc();
    tensor->data = inputs_[index].bytes();
    segment.values.push_back({tensor->name, tensor->desc, tensor, 0, 0});
    return {};
  }
  Status add_buffer(Segment& segment, OwnedTensor& tensor) {
    auto buffer = backend_.allocate(tensor.bytes().size() + guard, MemoryKind::arena);
    if (!buffer) return error_of(buffer);
    const BufferView view{buffer->get(), guard, tensor.bytes().size()};
    if (Status ok = queue_.upload(view, tensor.bytes()); !ok) return ok;
    segment.values.push_back({"value", tensor.desc(), nullptr, buffers_.size(), 64});
    views_.push_back({buffer->get(), guard - 64, tensor.bytes().size() + 64});
    buffers_.push_back(std::move(*buffer));
    return {};
  }
  Status run_segment(const Segment& segment) {
    auto executable = backend_.compile(segment);
    if (!executable) return error_of(executable);
    if (Status ok = (*executable)->enqueue(queue_, views_, SymbolValues{}); !ok) return ok;
    return queue_.finish();
  }

  Backend& backend_;
  Queue& queue_;
  const AnySample& sample_;
  std::vector<OwnedTensor>& inputs_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<BufferView> views_;
};

std::vector<float> row_of(const ConstHostView& view, std::int64_t row) {
  std::vector<float> values(static_cast<std::size_t>(view.width()));
  load_row(view, row, values);
  return values;
}

/// Empty when the result is right.
std::string compare(const ConstHostView& got, const ConstHostView& want, const ConstHostView& size, Tolerance t) {
  for (std::int64_t r = 0; r < want.rows(); ++r) {
    const auto g = row_of(got, r);
    const auto w = row_of(want, r);
    const auto m = row_of(size, r);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double error = std::abs(static_cast<double>(g[i]) - static_cast<double>(w[i]));
      const bool same = g[i] == w[i] || (std::isnan(g[i]) && std::isnan(w[i]));
      if (same || error <= t.absolute + t.relative * std::abs(static_cast<double>(m[i]))) continue;
      return fmt::format("row {} column {}: got {}, want {}, error {} of {}", r, i, g[i], w[i], error,
                         t.absolute + t.relative * std::abs(static_cast<double>(m[i])));
    }
  }
  return {};
}

/// Weights of value types are read as planes only, which constants have. Copies take any bytes.
bool reads_value_weight(const AnySample& sample) {
  return !std::holds_alternative<Copy>(sample.op) && std::ranges::any_of(sample.inputs, [](const SampleInput& input) {
    return input.desc.present() && is_value_type(input.desc.dtype);
  });
}

class Kernels : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    BackendOptions options;
    options.cache_dir = testing::TempDir() + "weft_opencl_kernels_test";
    auto backend = make_backend(options);
    ASSERT_TRUE(backend) << backend.error().message;
    backend_ = std::move(*backend);
    auto queue = backend_->make_queue({});
    ASSERT_TRUE(queue) << queue.error().message;
    queue_ = std::move(*queue);
  }

  void check(const AnySample& sample) {
    std::vector<OwnedTensor> inputs = make_inputs(sample, 7);
    const TensorDescs descs = descs_of(inputs);
    const auto outputs = infer(sample.op, descs);
    ASSERT_TRUE(outputs) << outputs.error().message;
    const OpCall call{sample.op, descs, *outputs};
    const std::vector<Selection> selections = backend_->alternatives(call);
    if (selections.empty()) {
      EXPECT_FALSE(backend_->select(call));
      return;
    }
    std::vector<OwnedTensor> want = make_outputs(sample.op, *outputs, inputs);
    reference(sample.op, input_views(inputs), output_views(want));
    std::vector<OwnedTensor> size = make_outputs(sample.op, *outputs, inputs);
    magnitude(sample.op, input_views(inputs), output_views(want), output_views(size));
    for (const Selection& selection : selections) {
      for (const WeightsAre weights : {WeightsAre::constants, WeightsAre::bindings}) {
        SCOPED_TRACE(fmt::format("{}: {} by {}", sample.name, selection.kernel, selection.rule));
        auto got = CallRun(*backend_, *queue_, sample, inputs).run(call, selection, weights);
        if (weights == WeightsAre::bindings && reads_value_weight(sample)) {
          ASSERT_FALSE(got);
          EXPECT_EQ(got.error().code, ErrorCode::unsupported);
          continue;
        }
        ASSERT_TRUE(got) << got.error().message;
        compare_all(sample, *got, want, size, tolerance(sample.op, descs, selection.activations));
        ++runs_;
      }
    }
  }

  void compare_all(const AnySample& sample, std::vector<OwnedTensor>& got, std::vector<OwnedTensor>& want,
                   std::vector<OwnedTensor>& size, Tolerance t) {
    for (std::size_t i = 0; i < want.size(); ++i) {
      const DType type = want[i].desc().dtype;
      if (is_float(type)) {
        EXPECT_EQ(compare(got[i].input(), want[i].input(), size[i].input(), t), "");
      } else if (type == DType::state) {
        compare_states(*cache_spec_of(sample.op), got[i], want[i], t);
      } else {
        EXPECT_TRUE(std::ranges::equal(got[i].bytes(), want[i].bytes()));
      }
    }
  }

  static void compare_states(const CacheSpec& spec, OwnedTensor& got, OwnedTensor& want, Tolerance t) {
    const std::int64_t rows = want.desc().width();
    const CachePlanes planes = cache_planes(spec, rows);
    const auto check_plane = [&](std::size_t offset, DType type, std::int64_t d) {
      const TensorDesc desc = TensorDesc::dense(type, {rows, spec.kv_heads, d});
      const ConstHostView wanted{desc, want.bytes().data() + offset};
      OwnedTensor sizes = row_maxima(wanted);
      EXPECT_EQ(compare({desc, got.bytes().data() + offset}, wanted, sizes.input(), t), "");
    };
    check_plane(planes.k_offset, spec.k_type, spec.dk);
    check_plane(planes.v_offset, spec.v_type, spec.dv);
  }

  /// A rotation mixes a head's elements: errors are measured against the largest.
  static OwnedTensor row_maxima(const ConstHostView& view) {
    OwnedTensor maxima(TensorDesc::dense(DType::f32, view.desc.shape));
    for (std::int64_t r = 0; r < view.rows(); ++r) {
      std::vector<float> row = row_of(view, r);
      float largest = 0;
      for (const float v : row) largest = std::max(largest, std::abs(v));
      std::ranges::fill(row, largest);
      store_row(maxima.view(), r, row);
    }
    return maxima;
  }

  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Queue> queue_;
  int runs_ = 0;
};

/// Conformance runs all samples; here a few, spread over the op's list.
TEST_P(Kernels, AgreeWithTheReference) {
  constexpr std::size_t few = 4;
  std::vector<AnySample> samples = all_samples();
  std::erase_if(samples, [](const AnySample& sample) { return name_of(sample.op) != GetParam(); });
  const std::size_t stride = std::max<std::size_t>(1, samples.size() / few);
  for (std::size_t i = 0; i < samples.size(); i += stride) {
    check(samples[i]);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(runs_, 0);
}

std::vector<std::string_view> kernel_ops() {
  std::vector<std::string_view> names;
  for (const std::string_view name : op_names()) {
    if (name != "slice" && name != "reshape" && name != "permute") names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ops, Kernels, testing::ValuesIn(kernel_ops()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace weft::opencl
