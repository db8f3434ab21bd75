// Ctrl-C: the first one asks the answer to stop, the second leaves at once.
#pragma once

namespace weft::cli {

/// Installs the handler. The only process-wide state of the command line: signals have no other way.
void catch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace weft::cli
