// The bytes of a file in memory, mapped or read whole, owned by one object.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/result.hpp"
#include "models/io/gguf.hpp"

namespace weft::models {

/// Move-only. `bytes()` starts on a page border and lives as long as the object.
/// A mapped file that another process cuts short afterwards raises SIGBUS on access; LoadMode::read is immune to that.
class FileBytes {
 public:
  /// Errors: invalid_argument (no such file, no regular file, not readable), out_of_memory,
  /// invalid_file (the size changed while it was loaded).
  [[nodiscard]] static Result<FileBytes> load(const std::filesystem::path& path, LoadMode mode);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  FileBytes(std::byte* data, std::size_t size, LoadMode mode) : data_(data), size_(size), mode_(mode) {}
  [[nodiscard]] static Result<FileBytes> map(int descriptor, std::size_t size);
  [[nodiscard]] static Result<FileBytes> read(int descriptor, std::size_t size);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  LoadMode mode_ = LoadMode::mapped;
};

}  // namespace weft::models
