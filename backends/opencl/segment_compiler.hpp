// From a segment to an executable: operands are placed, ops planned, kernels made and their fixed arguments set.
#pragma once

#include <memory>

#include "backends/opencl/executable.hpp"
#include "backends/opencl/program_store.hpp"
#include "backends/opencl/weight_store.hpp"
#include "core/backend.hpp"

namespace weft::opencl {

struct CompileTools {
  std::shared_ptr<const DeviceContext> context;
  ProgramStore& programs;
  WeightStore& weights;
};

/// `id` names the executable in times. Errors name the step.
[[nodiscard]] Result<std::unique_ptr<Executable>> compile_segment(const CompileTools& tools, const Segment& segment,
                                                                  std::size_t id);

}  // namespace weft::opencl
