// Reads the leading word of a port's shape.
#include "core/conformance/operand_roles.hpp"

#include <algorithm>

namespace weft::conformance {

Symbol leading_symbol(const Port& port) {
  const std::string_view shape = port.shape;
  const auto leads = [&](std::string_view word) {
    return shape.starts_with("[" + std::string(word) + ",") || shape.starts_with("[" + std::string(word) + "]");
  };
  if (leads("T")) return Symbol::tokens;
  if (leads("S")) return Symbol::sequences;
  if (leads("R")) return Symbol::outputs;
  if (leads("kv_rows")) return Symbol::kv_rows;
  const bool activations = shape.find("…") != std::string_view::npos || shape.starts_with("any");
  return activations ? Symbol::tokens : Symbol::none;
}

const Port& port_of(std::span<const Port> ports, std::size_t index) { return ports[std::min(index, ports.size() - 1)]; }

}  // namespace weft::conformance
