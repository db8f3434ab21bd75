// Compilation of segments.
#include "backends/opencl/segment_compiler.hpp"

#include <algorithm>

#include "backends/opencl/cl_error.hpp"
#include "backends/opencl/ops/plans.hpp"
#include "backends/opencl/weight_layout.hpp"
#include "core/rules/rule_set.hpp"

namespace weft::opencl {
namespace {

class Compiler {
 public:
  Compiler(const CompileTools& tools, const Segment& segment, std::size_t id) : tools_(tools), segment_(segment) {
    parts_.context = tools.context;
    parts_.id = id;
    parts_.bindings = segment.bindings;
  }

  Result<std::unique_ptr<Executable>> run() {
    if (Status ok = place_values(); !ok) return error_of(ok);
    std::vector<StepPlan> plans(segment_.steps.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (Status ok = plan_step(i, plans[i]); !ok) return error_of(ok, segment_.steps[i].name);
      scratch_bytes_ = std::max(scratch_bytes_, plans[i].scratch_bytes);
    }
    // Steps run one after another, so they share one scratch.
    if (scratch_bytes_ > 0) {
      auto scratch = DeviceBuffer::allocate(tools_.context, scratch_bytes_, "scratch");
      if (!scratch) return error_of(scratch);
      parts_.scratch = std::move(*scratch);
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
      for (const StepAction& action : plans[i].actions) {
        const auto* launch = std::get_if<Launch>(&action);
        const Status ok = launch != nullptr ? add_launch(*launch, i) : add_gemm(std::get<GemmCall>(action), i);
        if (!ok) return error_of(ok, segment_.steps[i].name);
      }
    }
    return std::make_unique<LaunchExecutable>(std::move(parts_));
  }

 private:
  Status place_values() {
    for (const SegmentValue& value : segment_.values) {
      Operand operand;
      operand.desc = value.desc;
      operand.name = value.name;
      operand.constant = value.constant;
      operand.place = {Place::Kind::binding, value.binding, value.byte_offset};
      if (value.constant != nullptr) {
        if (Status ok = place_constant(value, operand); !ok) return ok;
      } else if (value.binding >= segment_.bindings) {
        return fail(ErrorCode::internal, "{} lies in binding {} of {}", value.name, value.binding, segment_.bindings);
      }
      values_.push_back(std::move(operand));
    }
    return {};
  }

  Status place_constant(const SegmentValue& value, Operand& operand) {
    const WeightLayout layout = layout_of(value);
    const auto buffer = tools_.weights.get(value.constant, layout);
    if (!buffer) return error_of(buffer);
    operand.place = {Place::Kind::constant, parts_.constants.size(), value.byte_offset};
    parts_.constants.push_back(*buffer);
    if (layout == WeightLayout::blocks) return {};
    operand.plane_blocks = plane_blocks(stored_blocks(*value.constant));
    return {};
  }

  Operand operand(std::ptrdiff_t index) const {
    return index == no_value ? Operand{} : values_[static_cast<std::size_t>(index)];
  }

  Status plan_step(std::size_t index, StepPlan& plan) {
    const SegmentStep& step = segment_.steps[index];
    StepRequest request{step, {}, {}, tools_.context->info()};
    for (const std::ptrdiff_t i : step.inputs) request.inputs.push_back(operand(i));
    for (const std::ptrdiff_t i : step.outputs) request.outputs.push_back(operand(i));
    request.inputs.resize(std::max(request.inputs.size(), input_ports(step.call.op).size()));
    const std::string_view op = name_of(step.call.op);
    const std::string_view variant = variant_of(step.selection.kernel);
    const auto entry = std::ranges::find_if(kernel_entries(),
                                            [&](const KernelEntry& e) { return e.op == op && e.variant == variant; });
    if (entry == kernel_entries().end()) {
      return fail(ErrorCode::internal, "there is no kernel {}", step.selection.kernel);
    }
    plan.first_table = parts_.constants.size();
    if (Status ok = entry->plan(request, plan); !ok) return ok;
    for (const std::vector<std::byte>& table : plan.tables) {
      auto buffer = tools_.weights.upload(table, "a table");
      if (!buffer) return error_of(buffer);
      parts_.constants.push_back(std::move(*buffer));
    }
    return {};
  }

  Status add_launch(const Launch& launch, std::size_t step) {
    auto kernel = tools_.programs.kernel(launch.source, launch.defines, launch.kernel);
    if (!kernel) return error_of(kernel);
    CompiledLaunch compiled{std::move(*kernel), {}, {}, launch.global, launch.local, step};
    cl_uint index = 0;
    for (const Argument& argument : launch.arguments) {
      if (Status ok = set(argument, compiled, index); !ok) {
        return error_of(ok, fmt::format("{} argument {}", launch.kernel, index));
      }
    }
    parts_.actions.emplace_back(std::move(compiled));
    return {};
  }

  Status set(const Argument& argument, CompiledLaunch& compiled, cl_uint& index) const {
    cl_kernel kernel = compiled.kernel.get();
    if (const auto* memory = std::get_if<MemoryArgument>(&argument)) {
      if (memory->place.kind == Place::Kind::binding) {
        compiled.bindings.push_back({index, memory->place.index, memory->place.offset});
        index += 2;
        return {};
      }
      const cl_mem raw = memory_of(memory->place);
      const std::uint64_t offset = memory->place.offset;
      if (Status ok = set_raw(kernel, index++, sizeof raw, raw == nullptr ? nullptr : &raw); !ok) return ok;
      return set_raw(kernel, index++, sizeof offset, &offset);
    }
    if (const auto* number = std::get_if<NumberArgument>(&argument)) {
      return set_raw(kernel, index++, number->size, number->bytes.data());
    }
    compiled.sizes.push_back({index++, std::get<SizeArgument>(argument)});
    return {};
  }

  Status add_gemm(const GemmCall& call, std::size_t step) {
    const auto matrix = [&](const Place& place, std::int64_t stride) {
      return CompiledMatrix{{memory_of(place), place.offset, static_cast<std::size_t>(stride)}, place.index};
    };
    CompiledGemm gemm{matrix(call.a, call.a_stride),
                      matrix(call.b, call.b_stride),
                      matrix(call.c, call.c_stride),
                      call.m,
                      static_cast<std::size_t>(call.n),
                      static_cast<std::size_t>(call.k),
                      step};
    const GemmSizes most{static_cast<std::size_t>(call.most_m), gemm.n, gemm.k};
    if (Status ok = warm_up(most); !ok) return error_of(ok, "CLBlast");
    parts_.actions.emplace_back(std::move(gemm));
    return {};
  }

  /// The library compiles at the first call of a size class: here, so that no step has to.
  Status warm_up(const GemmSizes& sizes) {
    if (sizes.m == 0 || sizes.n == 0) return {};
    auto a = DeviceBuffer::allocate(tools_.context, sizes.m * sizes.k * sizeof(float), "a trial matrix");
    if (!a) return error_of(a);
    auto b = DeviceBuffer::allocate(tools_.context, sizes.n * sizes.k * sizeof(float), "a trial matrix");
    if (!b) return error_of(b);
    auto c = DeviceBuffer::allocate(tools_.context, sizes.m * sizes.n * sizeof(float), "a trial matrix");
    if (!c) return error_of(c);
    const auto queue = tools_.context->make_queue(false);
    if (!queue) return error_of(queue);
    Status ok = enqueue_gemm(queue->get(), sizes, {(*a)->memory(), 0, sizes.k}, {(*b)->memory(), 0, sizes.k},
                             {(*c)->memory(), 0, sizes.n}, nullptr);
    return ok ? check(clFinish(queue->get()), "clFinish") : ok;
  }

  cl_mem memory_of(const Place& place) const {
    if (place.kind == Place::Kind::constant) return parts_.constants[place.index]->memory();
    // Without scratch there are no tokens, and nothing will be launched.
    return place.kind == Place::Kind::scratch && parts_.scratch ? parts_.scratch->memory() : nullptr;
  }

  static Status set_raw(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
    return check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
  }

  const CompileTools& tools_;
  const Segment& segment_;
  ExecutableParts parts_;
  std::vector<Operand> values_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Executable>> compile_segment(const CompileTools& tools, const Segment& segment, std::size_t id) {
  return Compiler(tools, segment, id).run();
}

}  // namespace weft::opencl
