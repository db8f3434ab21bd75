// A backend of another interface: must be refused before its factory is called.
#include "core/plugin.hpp"

extern "C" const weft::BackendPlugin* weft_backend_plugin() {
  static const weft::BackendPlugin plugin = [] {
    weft::BackendPlugin other = weft::describe_backend("other", nullptr);
    other.abi_version += 1;
    return other;
  }();
  return &plugin;
}
