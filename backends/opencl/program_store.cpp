// Building of programs.
#include "backends/opencl/program_store.hpp"

#include "backends/opencl/cl_error.hpp"
#include "backends/opencl/source_assembly.hpp"

namespace weft::opencl {
namespace {

std::string options_of(const std::vector<std::string>& defines) {
  std::string options = "-cl-std=CL1.2 -cl-mad-enable";
  for (const std::string& define : defines) options += " -D" + define;
  return options;
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string log(size, '\0');
  if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr) != CL_SUCCESS) return {};
  return log;
}

/// The first line with "error", else the first line: messages are one line.
std::string first_complaint(const std::string& log) {
  const std::size_t error = log.find("error");
  const std::size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

}  // namespace

Result<KernelHandle> ProgramStore::kernel(std::string_view source_path, const std::vector<std::string>& defines,
                                          std::string_view name) {
  const std::scoped_lock lock(mutex_);
  const auto built = program(source_path, options_of(defines));
  if (!built) return error_of(built, source_path);
  cl_int code = CL_SUCCESS;
  KernelHandle kernel(clCreateKernel(built->get(), std::string(name).c_str(), &code));
  if (Status ok = check(code, "clCreateKernel"); !ok) return error_of(ok, fmt::format("{} {}", source_path, name));
  return kernel;
}

Result<ProgramHandle> ProgramStore::program(std::string_view source_path, const std::string& options) {
  const std::string key = fmt::format("{} {}", source_path, options);
  if (const auto at = programs_.find(key); at != programs_.end()) return at->second;
  const auto source = assemble_source(embedded_sources(), source_path);
  if (!source) return error_of(source);
  ProgramHandle program = from_cache(*source, options);
  if (!program) {
    auto built = build(*source, options);
    if (!built) return error_of(built);
    program = std::move(*built);
    keep(program.get(), *source, options);
  }
  programs_.emplace(key, program);
  return program;
}

Result<ProgramHandle> ProgramStore::build(const std::string& source, const std::string& options) {
  const char* text = source.data();
  const std::size_t size = source.size();
  cl_int code = CL_SUCCESS;
  ProgramHandle program(clCreateProgramWithSource(context_->context(), 1, &text, &size, &code));
  if (Status ok = check(code, "clCreateProgramWithSource"); !ok) return error_of(ok);
  cl_device_id device = context_->device();
  code = clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr);
  if (Status ok = check(code, "clBuildProgram"); !ok) {
    return fail(ok.error().code, "{}: {}", ok.error().message, first_complaint(build_log(program.get(), device)));
  }
  return program;
}

ProgramHandle ProgramStore::from_cache(const std::string& source, const std::string& options) {
  const auto binary = cache_.load(source, options);
  if (!binary) return {};
  const unsigned char* bytes = binary->data();
  const std::size_t size = binary->size();
  cl_device_id device = context_->device();
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  ProgramHandle program(clCreateProgramWithBinary(context_->context(), 1, &device, &size, &bytes, &status, &code));
  const bool loaded = code == CL_SUCCESS && status == CL_SUCCESS &&
                      clBuildProgram(program.get(), 1, &device, options.c_str(), nullptr, nullptr) == CL_SUCCESS;
  if (loaded) return program;
  cache_.report_refused(source, options);
  return {};
}

void ProgramStore::keep(cl_program program, const std::string& source, const std::string& options) {
  std::size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS || size == 0)
    return;
  std::vector<unsigned char> binary(size);
  unsigned char* bytes = binary.data();
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return;
  cache_.store(source, options, binary);
}

}  // namespace weft::opencl
