// Ownership of OpenCL objects: the only place that retains and releases them.
#pragma once

#include <CL/cl.h>

#include <utility>

namespace weft::opencl {

/// Shares one reference-counted OpenCL object; releases its reference when it goes. Null by default.
template <class Raw, auto Retain, auto Release>
class Handle {
 public:
  Handle() = default;
  /// Takes over the reference that a clCreate… call returned.
  explicit Handle(Raw owned) : raw_(owned) {}
  Handle(const Handle& other) : raw_(other.raw_) {
    if (raw_ != nullptr) Retain(raw_);
  }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != nullptr) Release(raw_);
  }
  [[nodiscard]] Raw get() const { return raw_; }
  [[nodiscard]] explicit operator bool() const { return raw_ != nullptr; }

 private:
  Raw raw_ = nullptr;
};

using ContextHandle = Handle<cl_context, &clRetainContext, &clReleaseContext>;
using QueueHandle = Handle<cl_command_queue, &clRetainCommandQueue, &clReleaseCommandQueue>;
using MemoryHandle = Handle<cl_mem, &clRetainMemObject, &clReleaseMemObject>;
using ProgramHandle = Handle<cl_program, &clRetainProgram, &clReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &clRetainKernel, &clReleaseKernel>;
using EventHandle = Handle<cl_event, &clRetainEvent, &clReleaseEvent>;

}  // namespace weft::opencl
