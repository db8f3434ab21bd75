// Names of OpenCL errors, and what they mean to a caller.
#include "backends/opencl/cl_error.hpp"

#include <gtest/gtest.h>

namespace weft::opencl {
namespace {

TEST(ClError, NamesTheCallAndTheCode) {
  EXPECT_EQ(cl_failure(CL_INVALID_BUFFER_SIZE, "clCreateBuffer").message,
            "clCreateBuffer: CL_INVALID_BUFFER_SIZE (-61)");
  EXPECT_EQ(cl_failure(-1001, "clGetPlatformIDs").message, "clGetPlatformIDs: CL_PLATFORM_NOT_FOUND_KHR (-1001)");
  EXPECT_EQ(cl_failure(-9999, "clFinish").message, "clFinish: unknown OpenCL error (-9999)");
}

TEST(ClError, TellsMemoryFromLossFromMisuse) {
  EXPECT_EQ(error_code(CL_MEM_OBJECT_ALLOCATION_FAILURE), ErrorCode::out_of_memory);
  EXPECT_EQ(error_code(CL_INVALID_BUFFER_SIZE), ErrorCode::out_of_memory);
  EXPECT_EQ(error_code(CL_OUT_OF_RESOURCES), ErrorCode::device_lost);
  EXPECT_EQ(error_code(CL_DEVICE_NOT_FOUND), ErrorCode::unsupported);
  EXPECT_EQ(error_code(CL_INVALID_KERNEL_ARGS), ErrorCode::internal);
}

TEST(ClError, SuccessIsNoError) {
  EXPECT_TRUE(check(CL_SUCCESS, "clFlush").has_value());
  EXPECT_FALSE(check(CL_INVALID_EVENT, "clFlush").has_value());
}

}  // namespace
}  // namespace weft::opencl
