// The call of CLBlast.
#include "backends/opencl/gemm.hpp"

#include <clblast.h>

namespace weft::opencl {

Status enqueue_gemm(cl_command_queue queue, const GemmSizes& sizes, const GemmMatrix& a, const GemmMatrix& b,
                    const GemmMatrix& c, cl_event* event) {
  const auto element = [](const GemmMatrix& matrix) { return matrix.byte_offset / sizeof(float); };
  for (const GemmMatrix* matrix : {&a, &b, &c}) {
    if (matrix->byte_offset % sizeof(float) != 0) {
      return fail(ErrorCode::invalid_argument, "a matrix at byte {}, CLBlast wants a multiple of {}",
                  matrix->byte_offset, sizeof(float));
    }
  }
  const clblast::StatusCode code =
      clblast::Gemm<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kYes, sizes.m,
                           sizes.n, sizes.k, 1.0F, a.memory, element(a), a.stride, b.memory, element(b), b.stride, 0.0F,
                           c.memory, element(c), c.stride, &queue, event);
  if (code == clblast::StatusCode::kSuccess) return {};
  return fail(ErrorCode::device_lost, "clblast::Gemm: status {}", static_cast<int>(code));
}

}  // namespace weft::opencl
