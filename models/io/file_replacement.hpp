// Writes a file under a temporary name in the same folder and puts it in place at the end, whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/result.hpp"

namespace weft::models {

/// Move-only. Without `commit` the temporary file is removed and an earlier file of that name stays as it was.
class FileReplacement {
 public:
  /// Opens the temporary file. `inputs` are files that are still read: a target that is one of them, also through a
  /// symbolic or hard link, is refused. Errors: invalid_argument.
  [[nodiscard]] static Result<FileReplacement> create(const std::filesystem::path& target,
                                                      std::span<const std::filesystem::path> inputs);

  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;
  ~FileReplacement();

  /// Appends all of `bytes`. Errors: invalid_argument with the system's reason (disk full, …).
  [[nodiscard]] Status append(std::span<const std::byte> bytes);

  /// Closes the file and gives it the target's name. Nothing may be appended afterwards.
  [[nodiscard]] Status commit();

 private:
  FileReplacement(std::filesystem::path target, std::filesystem::path temporary, int descriptor);

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

}  // namespace weft::models
