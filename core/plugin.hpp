// A backend as a shared library: what it exports, and how a program loads it. See docs/writing-a-backend.md.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "core/backend.hpp"
#include "core/result.hpp"

namespace weft {

/// Counts changes of what crosses the border that plugin_layout() can't see, such as what a function promises.
inline constexpr std::uint32_t plugin_abi_version = 1;

using BackendFactory = Result<std::unique_ptr<Backend>> (*)(const BackendOptions&);

/// What a plug-in exports. Only plain C types, so that a library built against anything can be read and refused; the
/// order of the fields never changes. All of it lives as long as the library.
struct BackendPlugin {
  std::uint32_t abi_version = 0;
  std::uint32_t reserved = 0;
  std::uint64_t layout = 0;
  const char* built_with = nullptr;  ///< compiler and its C++ library, for messages
  const char* name = nullptr;        ///< of the backend; what --backend takes
  BackendFactory create = nullptr;
};

/// `extern "C" const weft::BackendPlugin* weft_backend_plugin()` is the one function that a plug-in exports.
inline constexpr const char* plugin_symbol = "weft_backend_plugin";
using PluginFunction = const BackendPlugin* (*)();

/// A number over what crosses the border as the caller's headers and compiler have it: ops in order with their sizes,
/// sizes of the structs, and the places of Backend's functions in its table. Inline: a plug-in computes its own.
[[nodiscard]] inline std::uint64_t plugin_layout() {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a, 64 bits
  const auto add = [&](std::uint64_t number) { hash = (hash ^ number) * 1099511628211U; };
  AllOps::for_each([&]<class T>() {
    for (const char c : T::name) add(static_cast<unsigned char>(c));
    add(sizeof(T));
  });
  for (const std::size_t size :
       {sizeof(OpCall), sizeof(Selection), sizeof(DeviceInfo), sizeof(BufferView), sizeof(StepTime),
        sizeof(QueueOptions), sizeof(SegmentValue), sizeof(SegmentStep), sizeof(Segment), sizeof(BackendOptions),
        sizeof(RuleTable), sizeof(Rule), sizeof(SymbolValues), sizeof(HostTensor), sizeof(TensorDesc), sizeof(Error)}) {
    add(size);
  }
  add(static_cast<std::uint64_t>(DType::state));
  // A pointer to a virtual member holds its place in the table (Itanium C++ ABI, 2.3): a function put in moves others.
  const auto add_place = [&](auto member) {
    std::uint64_t place = 0;
    std::memcpy(&place, &member, sizeof(place));
    add(place);
  };
  add_place(&Backend::select);
  add_place(&Backend::compile);
  add_place(&Backend::path);
  add_place(&Queue::finish);
  add_place(&Executable::description);
  add_place(&Buffer::host);
  return hash;
}

/// A plug-in's own description of itself, from the headers that it is compiled with. `name` must be a literal.
[[nodiscard]] inline BackendPlugin describe_backend(const char* name, BackendFactory create) {
  return {plugin_abi_version, 0, plugin_layout(), "g++ " __VERSION__, name, create};
}

/// A backend whose library is loaded. The library is never unloaded: objects that it made may live anywhere.
struct LoadedBackend {
  std::string name;
  std::string file;
  BackendFactory create = nullptr;
};

/// Loads a plug-in. Errors: invalid_argument (no such file), invalid_file (no shared library, one without the function,
/// one without a name or factory), unsupported (built against another interface: says which and what to do).
[[nodiscard]] Result<LoadedBackend> load_backend_library(const std::string& file);

}  // namespace weft
