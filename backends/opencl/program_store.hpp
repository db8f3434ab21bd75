// Built programs of one device: in memory for the process, on disk between runs.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "backends/opencl/device_context.hpp"
#include "backends/opencl/program_cache.hpp"

namespace weft::opencl {

/// Thread-safe.
class ProgramStore {
 public:
  ProgramStore(std::shared_ptr<const DeviceContext> context, ProgramCache cache)
      : context_(std::move(context)), cache_(std::move(cache)) {}
  /// A kernel object of its own. `defines` are "NAME=VALUE". Errors: internal, with the compiler's first complaint.
  [[nodiscard]] Result<KernelHandle> kernel(std::string_view source_path, const std::vector<std::string>& defines,
                                            std::string_view name);

 private:
  Result<ProgramHandle> program(std::string_view source_path, const std::string& options);
  Result<ProgramHandle> build(const std::string& source, const std::string& options);
  ProgramHandle from_cache(const std::string& source, const std::string& options);
  void keep(cl_program program, const std::string& source, const std::string& options);

  std::shared_ptr<const DeviceContext> context_;
  ProgramCache cache_;
  std::mutex mutex_;
  std::map<std::string, ProgramHandle, std::less<>> programs_;
};

}  // namespace weft::opencl
