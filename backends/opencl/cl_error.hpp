// OpenCL status codes as errors that name the call and the code.
#pragma once

#include <CL/cl.h>

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace weft::opencl {

/// "CL_INVALID_VALUE"; "unknown OpenCL error" for codes that no version defines.
[[nodiscard]] std::string_view error_name(cl_int code);

/// out_of_memory for what a smaller model or context would cure, device_lost where the device or driver failed,
/// unsupported where something isn't there, internal for misuse.
[[nodiscard]] ErrorCode error_code(cl_int code);

/// "clFinish: CL_OUT_OF_RESOURCES (-5)"
[[nodiscard]] Error cl_failure(cl_int code, std::string_view call);

[[nodiscard]] inline Status check(cl_int code, std::string_view call) {
  if (code == CL_SUCCESS) return {};
  return tl::unexpected<Error>(cl_failure(code, call));
}

}  // namespace weft::opencl
