// The text of a program from its embedded files: a line `#include "path"` is replaced by that file, once.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/embedded_file.hpp"
#include "core/result.hpp"

namespace weft::opencl {

/// All .cl files of the backend, paths as `backends/opencl/…`.
[[nodiscard]] std::span<const EmbeddedFile> embedded_sources();

/// Errors: internal, naming the file that isn't there.
[[nodiscard]] Result<std::string> assemble_source(std::span<const EmbeddedFile> files, std::string_view path);

}  // namespace weft::opencl
