// A text file built into the program (rule tables, OpenCL sources).
#pragma once

#include <span>
#include <string_view>

namespace weft {

struct EmbeddedFile {
  std::string_view path;  ///< relative to the source tree, for messages
  std::string_view text;
};

}  // namespace weft
