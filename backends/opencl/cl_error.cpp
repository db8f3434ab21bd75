// Names and meanings of OpenCL status codes.
#include "backends/opencl/cl_error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::opencl {
namespace {

constexpr std::array names{
    std::pair{0, "CL_SUCCESS"},
    std::pair{-1, "CL_DEVICE_NOT_FOUND"},
    std::pair{-2, "CL_DEVICE_NOT_AVAILABLE"},
    std::pair{-3, "CL_COMPILER_NOT_AVAILABLE"},
    std::pair{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    std::pair{-5, "CL_OUT_OF_RESOURCES"},
    std::pair{-6, "CL_OUT_OF_HOST_MEMORY"},
    std::pair{-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    std::pair{-8, "CL_MEM_COPY_OVERLAP"},
    std::pair{-11, "CL_BUILD_PROGRAM_FAILURE"},
    std::pair{-12, "CL_MAP_FAILURE"},
    std::pair{-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    std::pair{-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    std::pair{-15, "CL_COMPILE_PROGRAM_FAILURE"},
    std::pair{-16, "CL_LINKER_NOT_AVAILABLE"},
    std::pair{-17, "CL_LINK_PROGRAM_FAILURE"},
    std::pair{-30, "CL_INVALID_VALUE"},
    std::pair{-31, "CL_INVALID_DEVICE_TYPE"},
    std::pair{-32, "CL_INVALID_PLATFORM"},
    std::pair{-33, "CL_INVALID_DEVICE"},
    std::pair{-34, "CL_INVALID_CONTEXT"},
    std::pair{-35, "CL_INVALID_QUEUE_PROPERTIES"},
    std::pair{-36, "CL_INVALID_COMMAND_QUEUE"},
    std::pair{-37, "CL_INVALID_HOST_PTR"},
    std::pair{-38, "CL_INVALID_MEM_OBJECT"},
    std::pair{-42, "CL_INVALID_BINARY"},
    std::pair{-43, "CL_INVALID_BUILD_OPTIONS"},
    std::pair{-44, "CL_INVALID_PROGRAM"},
    std::pair{-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    std::pair{-46, "CL_INVALID_KERNEL_NAME"},
    std::pair{-47, "CL_INVALID_KERNEL_DEFINITION"},
    std::pair{-48, "CL_INVALID_KERNEL"},
    std::pair{-49, "CL_INVALID_ARG_INDEX"},
    std::pair{-50, "CL_INVALID_ARG_VALUE"},
    std::pair{-51, "CL_INVALID_ARG_SIZE"},
    std::pair{-52, "CL_INVALID_KERNEL_ARGS"},
    std::pair{-53, "CL_INVALID_WORK_DIMENSION"},
    std::pair{-54, "CL_INVALID_WORK_GROUP_SIZE"},
    std::pair{-55, "CL_INVALID_WORK_ITEM_SIZE"},
    std::pair{-56, "CL_INVALID_GLOBAL_OFFSET"},
    std::pair{-57, "CL_INVALID_EVENT_WAIT_LIST"},
    std::pair{-58, "CL_INVALID_EVENT"},
    std::pair{-59, "CL_INVALID_OPERATION"},
    std::pair{-61, "CL_INVALID_BUFFER_SIZE"},
    std::pair{-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    std::pair{-64, "CL_INVALID_PROPERTY"},
    std::pair{-66, "CL_INVALID_COMPILER_OPTIONS"},
    std::pair{-67, "CL_INVALID_LINKER_OPTIONS"},
    std::pair{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

}  // namespace

std::string_view error_name(cl_int code) {
  const auto* at = std::ranges::find(names, code, [](const auto& entry) { return entry.first; });
  return at == names.end() ? "unknown OpenCL error" : at->second;
}

ErrorCode error_code(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE: return ErrorCode::out_of_memory;
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_COMPILER_NOT_AVAILABLE:
    case -1001: return ErrorCode::unsupported;
    case CL_OUT_OF_RESOURCES:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: return ErrorCode::device_lost;
    default: return ErrorCode::internal;
  }
}

Error cl_failure(cl_int code, std::string_view call) {
  return {error_code(code), fmt::format("{}: {} ({})", call, error_name(code), code)};
}

}  // namespace weft::opencl
