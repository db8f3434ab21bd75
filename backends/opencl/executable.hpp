// A segment as kernel launches: everything that doesn't depend on bindings or symbols is set when it is made.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "backends/opencl/command_queue.hpp"
#include "backends/opencl/device_buffer.hpp"
#include "backends/opencl/gemm.hpp"
#include "backends/opencl/launch.hpp"
#include "core/backend.hpp"

namespace weft::opencl {

/// Sets argument `index` to a binding's memory and the next one to the byte offset.
struct BindingPatch {
  cl_uint index = 0;
  std::size_t binding = 0;
  std::size_t offset = 0;
};
struct SizePatch {
  cl_uint index = 0;
  SizeArgument argument;
};

struct CompiledLaunch {
  KernelHandle kernel;
  std::vector<BindingPatch> bindings;
  std::vector<SizePatch> sizes;
  std::array<Size, 3> global;
  std::array<std::size_t, 3> local{1, 1, 1};
  std::size_t step = 0;
};

/// A matrix of a GEMM: in a binding, or fixed.
struct CompiledMatrix {
  GemmMatrix fixed;  ///< memory is null where a binding holds it; byte_offset is then within the binding
  std::size_t binding = 0;
};
struct CompiledGemm {
  CompiledMatrix a, b, c;
  Size m;
  std::size_t n = 0, k = 0;
  std::size_t step = 0;
};
using CompiledAction = std::variant<CompiledLaunch, CompiledGemm>;

/// What an executable holds on to.
struct ExecutableParts {
  std::shared_ptr<const DeviceContext> context;
  std::size_t id = 0;
  std::size_t bindings = 0;
  std::vector<CompiledAction> actions;
  std::vector<std::shared_ptr<const DeviceBuffer>> constants;
  std::shared_ptr<const DeviceBuffer> scratch;
};

class LaunchExecutable final : public Executable {
 public:
  explicit LaunchExecutable(ExecutableParts parts);
  [[nodiscard]] Status enqueue(Queue& queue, Bindings bindings, const SymbolValues& symbols) const override;
  [[nodiscard]] std::size_t resident_bytes() const override;
  [[nodiscard]] std::size_t id() const override { return parts_.id; }
  [[nodiscard]] std::string description() const override;

 private:
  /// What the kernels' arguments are set to: enqueue sets only what differs.
  struct Bound {
    std::uint64_t serial = 0;
    cl_mem memory = nullptr;
    std::size_t offset = 0;
    bool changed = true;
  };
  [[nodiscard]] Status bind(Bindings bindings) const;
  [[nodiscard]] Status patch(const CompiledLaunch& launch, const SymbolValues& symbols) const;
  [[nodiscard]] Status run(CommandQueue& queue, const CompiledLaunch& launch, const SymbolValues& symbols) const;
  [[nodiscard]] Status run(CommandQueue& queue, const CompiledGemm& gemm, const SymbolValues& symbols) const;
  [[nodiscard]] GemmMatrix bound(const CompiledMatrix& matrix) const;
  [[nodiscard]] bool changed(Symbol symbol, const SymbolValues& symbols) const;

  ExecutableParts parts_;
  mutable std::vector<Bound> bound_;
  mutable SymbolValues last_symbols_;
  mutable bool fresh_ = true;  ///< no argument is known to be set
};

}  // namespace weft::opencl
