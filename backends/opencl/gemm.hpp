// C = A * B^T in f32 by CLBlast: the only place that knows the library.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

#include "core/result.hpp"

namespace weft::opencl {

/// A row-major matrix in device memory.
struct GemmMatrix {
  cl_mem memory = nullptr;
  std::size_t byte_offset = 0;  ///< a multiple of 4
  std::size_t stride = 0;       ///< elements
};
struct GemmSizes {
  std::size_t m = 0, n = 0, k = 0;
};
/// Enqueues c[m, n] = a[m, k] * b[n, k]^T. The library compiles at its first use of a device. `event` may be null.
[[nodiscard]] Status enqueue_gemm(cl_command_queue queue, const GemmSizes& sizes, const GemmMatrix& a,
                                  const GemmMatrix& b, const GemmMatrix& c, cl_event* event);

}  // namespace weft::opencl
