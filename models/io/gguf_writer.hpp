// Writes GGUF files: the same calls always give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/dtype.hpp"
#include "core/result.hpp"
#include "models/io/gguf_stored.hpp"

namespace weft::models {

class FileReplacement;

/// What a tensor record says.
struct GgufTensorSpec {
  std::string name;                                      ///< at most 63 bytes, no NUL byte
  std::variant<DType, std::uint32_t> type = DType::f32;  ///< a weft type or the id of the file format
  std::vector<std::int64_t> dims;                        ///< outermost first, at most 4, zero allowed
};

class GgufWriter {
 public:
  /// Writes the whole of a tensor's data.
  using Fill = std::function<Status(std::span<std::byte>)>;
  /// Takes the next bytes of a tensor's data.
  using Append = std::function<Status(std::span<const std::byte>)>;
  /// Gives a tensor's data in pieces, in order: as many bytes in all as the tensor has.
  using Stream = std::function<Status(const Append&)>;

  /// `version` is 2 or 3; the bytes differ in nothing else.
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  /// Adds a metadata pair, or replaces the value of a key that is there. "general.alignment" (std::uint32_t, a power
  /// of two from 8 to 2^20) sets the alignment.
  void set(std::string key, GgufStoredValue value);

  /// Adds a tensor after those before it. Errors: invalid_argument (name taken or too long, type that no file may
  /// have, row that is no whole number of blocks, `data` not of the tensor's size).
  [[nodiscard]] Status add_tensor(GgufTensorSpec spec, std::vector<std::byte> data);
  /// The same with data made while the file is written, one tensor at a time in memory.
  [[nodiscard]] Status add_tensor(GgufTensorSpec spec, Fill fill);
  /// The same, a piece at a time in memory.
  [[nodiscard]] Status add_streamed(GgufTensorSpec spec, Stream stream);

  /// Writes to a temporary name beside `path` and renames: `path` is never seen half-written. `inputs` are files that
  /// must not be written over (see FileReplacement). Errors: invalid_argument, out_of_memory, what a Fill or Stream
  /// returned, internal (a Stream gave too few or too many bytes).
  [[nodiscard]] Status write(const std::filesystem::path& path,
                             std::span<const std::filesystem::path> inputs = {}) const;

 private:
  struct Tensor {
    std::string name;
    std::uint32_t type = 0;
    std::vector<std::int64_t> dims;
    std::uint64_t bytes = 0;
    std::variant<std::vector<std::byte>, Fill, Stream> data;
  };

  [[nodiscard]] Result<Tensor> checked(GgufTensorSpec spec) const;
  [[nodiscard]] Result<std::uint64_t> alignment() const;
  [[nodiscard]] Result<std::vector<std::byte>> head(std::uint64_t alignment) const;
  [[nodiscard]] static Status append_data(FileReplacement& file, const Tensor& tensor);
  [[nodiscard]] Status write_checked(const std::filesystem::path& path,
                                     std::span<const std::filesystem::path> inputs) const;

  std::uint32_t version_;
  std::vector<std::pair<std::string, GgufStoredValue>> metadata_;
  std::vector<Tensor> tensors_;
  std::unordered_set<std::string> names_;  ///< of the tensors
};

}  // namespace weft::models
