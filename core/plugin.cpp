// Loading of plug-in libraries, and every reason to refuse one.
#include "core/plugin.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace weft {
namespace {

struct Close {
  void operator()(void* library) const { dlclose(library); }
};

std::string last_problem() {
  const char* text = dlerror();
  return text == nullptr ? "no reason given" : text;
}

Status check(const BackendPlugin* plugin, const std::string& file) {
  if (plugin == nullptr) return fail(ErrorCode::invalid_file, "{}: {}() returned nothing", file, plugin_symbol);
  if (plugin->abi_version != plugin_abi_version) {
    return fail(ErrorCode::unsupported,
                "{}: built for backend interface {}, wanted {}; rebuild it against the weft that loads it", file,
                plugin->abi_version, plugin_abi_version);
  }
  if (const std::uint64_t own = plugin_layout(); plugin->layout != own) {
    return fail(ErrorCode::unsupported,
                "{}: built with {} for layout {:016x} of the backend interface, wanted {:016x} (g++ {}); rebuild it "
                "with this weft's headers and the same compiler",
                file, plugin->built_with == nullptr ? "an unknown compiler" : plugin->built_with, plugin->layout, own,
                __VERSION__);
  }
  if (plugin->name == nullptr || *plugin->name == '\0' || plugin->create == nullptr) {
    return fail(ErrorCode::invalid_file, "{}: the backend has no name or no factory; use weft::describe_backend", file);
  }
  return {};
}

}  // namespace

Result<LoadedBackend> load_backend_library(const std::string& file) {
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);
  if (error || !std::filesystem::is_regular_file(path, error)) {
    return fail(ErrorCode::invalid_argument, "{}: no such file; a backend library is wanted", file);
  }
  // Local: names of the library's own copy of weft's core must not meet the program's.
  std::unique_ptr<void, Close> library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library == nullptr) {
    return fail(ErrorCode::invalid_file, "{}: can't be loaded as a backend library: {}", file, last_problem());
  }
  const auto function = reinterpret_cast<PluginFunction>(dlsym(library.get(), plugin_symbol));
  if (function == nullptr) {
    return fail(ErrorCode::invalid_file, "{}: exports no function {}, so it is no weft backend", file, plugin_symbol);
  }
  const BackendPlugin* plugin = function();
  if (const Status ok = check(plugin, file); !ok) return error_of(ok);
  LoadedBackend loaded{plugin->name, file, plugin->create};
  static_cast<void>(library.release());  // stays: whatever the backend makes needs its code
  return loaded;
}

}  // namespace weft
