// GGUF v2 and v3 files: metadata, tensor records and their data, read over a private read-only mapping.
// Every offset, count and product is checked before use; a file that passes `open` can be read without further checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/dtype.hpp"
#include "core/result.hpp"
#include "models/io/gguf_stored.hpp"

namespace weft::models {

/// How the bytes of a file reach memory.
enum class LoadMode : std::uint8_t {
  mapped,  ///< mmap, pages read on first use
  read,    ///< read whole into memory: immune to a file that changes underneath
};

/// An array of a metadata value. Numbers are widened: every integer type to i64 (u64 above i64's range is refused),
/// f32 and f64 to double, bool to u8.
using GgufArray =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::uint8_t>, std::vector<std::string>>;
/// A metadata value: integers as i64 (u64 above i64's range keeps its own type), floats as double.
using GgufValue = std::variant<std::int64_t, std::uint64_t, double, bool, std::string, GgufArray>;

/// One tensor record. `dims` are outermost first: a weight of N rows of K elements has dims {N, K}.
struct GgufTensor {
  std::string name;
  std::uint32_t ggml_type = 0;     ///< the id in the file
  std::string_view type_name;      ///< "Q4_K"; known for every id in use, also for types weft can't compute with
  DType dtype = DType::none;       ///< none when weft has no such type
  std::vector<std::int64_t> dims;  ///< outermost first, ones not added
  std::uint64_t offset = 0;        ///< bytes from the start of the data section
  std::uint64_t bytes = 0;
};

/// Thread-safe: immutable after `open`. Spans and views live as long as the object.
class GgufFile {
 public:
  /// Errors: invalid_argument (no such file, not readable), invalid_file (names record or key, found, wanted),
  /// unsupported (big-endian, version 1, split file that isn't the first).
  [[nodiscard]] static Result<std::shared_ptr<const GgufFile>> open(const std::filesystem::path& path,
                                                                    LoadMode mode = LoadMode::mapped);
  virtual ~GgufFile() = default;

  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;
  /// All files that it is read from: one, or the shards of a split model.
  [[nodiscard]] virtual std::span<const std::filesystem::path> files() const = 0;
  [[nodiscard]] virtual std::uint32_t version() const = 0;
  [[nodiscard]] virtual std::uint64_t alignment() const = 0;
  /// Metadata in file order.
  [[nodiscard]] virtual std::span<const std::pair<std::string, GgufValue>> metadata() const = 0;
  [[nodiscard]] virtual const GgufValue* find(std::string_view key) const = 0;
  /// The value of a key in `metadata` with the type it is stored as, for writing it again. Errors: invalid_argument
  /// (no such key).
  [[nodiscard]] virtual Result<GgufStoredValue> stored(std::string_view key) const = 0;
  /// Tensor records in file order (of all shards of a split file).
  [[nodiscard]] virtual std::span<const GgufTensor> tensors() const = 0;
  [[nodiscard]] virtual const GgufTensor* find_tensor(std::string_view name) const = 0;
  [[nodiscard]] virtual std::span<const std::byte> data(const GgufTensor& tensor) const = 0;

  // Typed access. The optional forms give nullopt when the key is absent; a key of another type is an error that
  // names file, key, found and wanted. Integers of any width convert with a range check; an integer where a float is
  // wanted converts too.
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::string_view key) const;
  [[nodiscard]] Result<std::optional<double>> number(std::string_view key) const;
  [[nodiscard]] Result<std::optional<bool>> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::string>> text(std::string_view key) const;
  /// A scalar or an array of integers or bools, as the per-layer keys have it (a scalar gives one element).
  [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> integers(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<double>>> numbers(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::span<const std::string>>> texts(std::string_view key) const;
  /// The same, but an absent key is an invalid_file error.
  [[nodiscard]] Result<std::int64_t> required_integer(std::string_view key) const;
  [[nodiscard]] Result<double> required_number(std::string_view key) const;
  [[nodiscard]] Result<std::string> required_text(std::string_view key) const;
};

}  // namespace weft::models
