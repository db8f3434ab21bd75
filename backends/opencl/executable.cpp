// Enqueueing: patch what changed, launch.
#include "backends/opencl/executable.hpp"

#include "backends/opencl/cl_error.hpp"

namespace weft::opencl {
namespace {

Status set_argument(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
  return check(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

Status set_size(cl_kernel kernel, const SizePatch& patch, const SymbolValues& symbols) {
  const std::int64_t value = patch.argument.size.value(symbols);
  if (patch.argument.width == SizeArgument::Width::bits64) return set_argument(kernel, patch.index, 8, &value);
  const auto narrow = static_cast<std::int32_t>(value);
  return set_argument(kernel, patch.index, 4, &narrow);
}

}  // namespace

LaunchExecutable::LaunchExecutable(ExecutableParts parts) : parts_(std::move(parts)), bound_(parts_.bindings) {}

bool LaunchExecutable::changed(Symbol symbol, const SymbolValues& symbols) const {
  return fresh_ || (symbol != Symbol::none && symbols[symbol] != last_symbols_[symbol]);
}

Status LaunchExecutable::bind(Bindings bindings) const {
  if (bindings.size() != parts_.bindings) {
    return fail(ErrorCode::invalid_argument, "{} bindings for a segment of {}", bindings.size(), parts_.bindings);
  }
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const auto buffer = device_buffer(bindings[i], parts_.context->context());
    if (!buffer) return error_of(buffer, fmt::format("binding {}", i));
    Bound& bound = bound_[i];
    bound.changed = fresh_ || bound.serial != (*buffer)->serial() || bound.offset != bindings[i].offset;
    bound.serial = (*buffer)->serial();
    bound.memory = (*buffer)->memory();
    bound.offset = bindings[i].offset;
  }
  return {};
}

Status LaunchExecutable::patch(const CompiledLaunch& launch, const SymbolValues& symbols) const {
  for (const BindingPatch& patch : launch.bindings) {
    const Bound& bound = bound_[patch.binding];
    if (!bound.changed) continue;
    const std::uint64_t offset = bound.offset + patch.offset;
    if (Status ok = set_argument(launch.kernel.get(), patch.index, sizeof(cl_mem), &bound.memory); !ok) return ok;
    if (Status ok = set_argument(launch.kernel.get(), patch.index + 1, sizeof offset, &offset); !ok) return ok;
  }
  for (const SizePatch& patch : launch.sizes) {
    if (!changed(patch.argument.size.symbol, symbols)) continue;
    if (Status ok = set_size(launch.kernel.get(), patch, symbols); !ok) return ok;
  }
  return {};
}

Status LaunchExecutable::enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const {
  auto* own = dynamic_cast<CommandQueue*>(&queue);
  if (own == nullptr || own->context() != parts_.context->context()) {
    return fail(ErrorCode::invalid_argument, "the queue does not belong to this OpenCL device's backend");
  }
  if (Status ok = bind(bindings); !ok) {
    fresh_ = true;
    return ok;
  }
  for (const CompiledAction& action : parts_.actions) {
    const auto* launch = std::get_if<CompiledLaunch>(&action);
    if (launch == nullptr) continue;
    if (Status ok = patch(*launch, symbols); !ok) {
      fresh_ = true;
      return ok;
    }
  }
  fresh_ = false;
  last_symbols_ = symbols;
  for (const CompiledAction& action : parts_.actions) {
    if (Status ok = std::visit([&](const auto& what) { return run(*own, what, symbols); }, action); !ok) return ok;
  }
  return {};
}

Status LaunchExecutable::run(CommandQueue& queue, const CompiledLaunch& launch, const SymbolValues& symbols) const {
  LaunchShape shape;
  for (std::size_t d = 0; d < 3; ++d) {
    shape.global[d] = static_cast<std::size_t>(launch.global[d].value(symbols));
    shape.local[d] = launch.local[d];
    if (shape.global[d] == 0) return {};
  }
  return queue.launch(launch.kernel.get(), shape, {parts_.id, launch.step});
}

GemmMatrix LaunchExecutable::bound(const CompiledMatrix& matrix) const {
  if (matrix.fixed.memory != nullptr) return matrix.fixed;
  const Bound& binding = bound_[matrix.binding];
  return {binding.memory, binding.offset + matrix.fixed.byte_offset, matrix.fixed.stride};
}

Status LaunchExecutable::run(CommandQueue& queue, const CompiledGemm& gemm, const SymbolValues& symbols) const {
  const GemmSizes sizes{static_cast<std::size_t>(gemm.m.value(symbols)), gemm.n, gemm.k};
  if (sizes.m == 0 || sizes.n == 0) return {};
  cl_event event = nullptr;
  const Status ok =
      enqueue_gemm(queue.raw(), sizes, bound(gemm.a), bound(gemm.b), bound(gemm.c), queue.times() ? &event : nullptr);
  if (event != nullptr) queue.add_time(event, {parts_.id, gemm.step});
  return ok;
}

std::size_t LaunchExecutable::resident_bytes() const {
  std::size_t bytes = parts_.scratch ? parts_.scratch->bytes() : 0;
  for (const auto& constant : parts_.constants) bytes += constant->bytes();
  return bytes;
}

std::string LaunchExecutable::description() const { return fmt::format("{} launches", parts_.actions.size()); }

}  // namespace weft::opencl
