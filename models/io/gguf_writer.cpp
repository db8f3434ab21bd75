// Serialises metadata, tensor records and tensor data in the order of the calls.
#include "models/io/gguf_writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>

#include "models/io/file_replacement.hpp"
#include "models/io/ggml_types.hpp"
#include "models/io/gguf_parse.hpp"
#include "models/io/gguf_values.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

template <GgufType type, class T>
constexpr bool stored_as =
    std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(type), GgufStoredValue>, T>;
static_assert(stored_as<GgufType::u8, std::uint8_t> && stored_as<GgufType::i32, std::int32_t> &&
              stored_as<GgufType::text, std::string> && stored_as<GgufType::array, GgufStoredArray> &&
              stored_as<GgufType::f64, double>);

/// Appends fields to a byte vector.
class ByteSink {
 public:
  explicit ByteSink(std::vector<std::byte>& out) : out_(out) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) { append(&value, sizeof(T)); }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  void put(const GgufStoredArray& array) {
    put(static_cast<std::uint32_t>(array.index()));
    std::visit([this](const auto& elements) { put_elements(elements); }, array);
  }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = out_.size();
    out_.resize(at + size);
    std::memcpy(out_.data() + at, data, size);
  }
  void put_elements(std::monostate) {}
  template <class T>
  void put_elements(const std::vector<T>& elements) {
    put(static_cast<std::uint64_t>(elements.size()));
    for (const auto& element : elements) {
      if constexpr (std::is_same_v<T, std::string>) {
        put(std::string_view(element));
      } else {
        put(static_cast<T>(element));
      }
    }
  }

  std::vector<std::byte>& out_;
};

bool is_array_of_arrays(const GgufStoredValue& value) {
  const auto* array = std::get_if<GgufStoredArray>(&value);
  return array != nullptr && std::holds_alternative<std::monostate>(*array);
}

Status check_pair(const std::string& key, const GgufStoredValue& value) {
  if (key.empty() || key.size() > max_key || key.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "metadata key '{}' has {} bytes, 1 to {} without NUL wanted",
                printable(key), key.size(), max_key);
  }
  if (is_array_of_arrays(value)) {
    return fail(ErrorCode::invalid_argument, "metadata key '{}' is an array of arrays, which can't be written",
                printable(key));
  }
  return {};
}

Result<std::uint32_t> stored_type(const std::variant<DType, std::uint32_t>& type) {
  if (const auto* id = std::get_if<std::uint32_t>(&type)) return *id;
  const DType dtype = std::get<DType>(type);
  if (const auto id = ggml_type_of(dtype)) return *id;
  return fail(ErrorCode::invalid_argument, "type {} can't be stored", name_of(dtype));
}

Status check_dims(std::span<const std::int64_t> dims) {
  if (dims.size() > max_dimensions) {
    return fail(ErrorCode::invalid_argument, "has {} dimensions, {} at most wanted", dims.size(), max_dimensions);
  }
  if (std::ranges::any_of(dims, [](std::int64_t dim) { return dim < 0; })) {
    return fail(ErrorCode::invalid_argument, "has a negative dimension");
  }
  return {};
}

/// Appends a stream's pieces, and checks that they are `bytes` in all.
Status append_stream(FileReplacement& file, const GgufWriter::Stream& stream, std::uint64_t bytes) {
  std::uint64_t left = bytes;
  auto given = stream([&](std::span<const std::byte> piece) -> Status {
    if (piece.size() > left) {
      return fail(ErrorCode::internal, "more than its {} bytes of data were given", bytes);
    }
    left -= piece.size();
    return file.append(piece);
  });
  if (given && left > 0) return fail(ErrorCode::internal, "{} of its {} bytes of data were not given", left, bytes);
  return given;
}

Status append_padding(FileReplacement& file, std::uint64_t bytes, std::uint64_t alignment) {
  const std::vector<std::byte> zeros(static_cast<std::size_t>(round_up(bytes, alignment) - bytes));
  return file.append(zeros);
}

}  // namespace

void GgufWriter::set(std::string key, GgufStoredValue value) {
  const auto pair = std::ranges::find(metadata_, key, &std::pair<std::string, GgufStoredValue>::first);
  if (pair != metadata_.end()) {
    pair->second = std::move(value);
  } else {
    metadata_.emplace_back(std::move(key), std::move(value));
  }
}

Result<GgufWriter::Tensor> GgufWriter::checked(GgufTensorSpec spec) const {
  const std::string context = fmt::format("tensor '{}'", printable(spec.name));
  if (spec.name.size() > max_tensor_name || spec.name.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "{}: the name has {} bytes, {} at most without NUL wanted", context,
                spec.name.size(), max_tensor_name);
  }
  if (names_.contains(spec.name)) {
    return fail(ErrorCode::invalid_argument, "{}: is there already", context);
  }
  if (auto usable = check_dims(spec.dims); !usable) return error_of(usable, context);
  const auto type = stored_type(spec.type);
  if (!type) return error_of(type, context);
  const auto bytes = tensor_bytes(*type, spec.dims);
  if (!bytes) return fail(ErrorCode::invalid_argument, "{}: {}", context, bytes.error().message);
  return Tensor{std::move(spec.name), *type, std::move(spec.dims), *bytes, {}};
}

Status GgufWriter::add_tensor(GgufTensorSpec spec, std::vector<std::byte> data) {
  auto tensor = checked(std::move(spec));
  if (!tensor) return error_of(tensor);
  if (data.size() != tensor->bytes) {
    return fail(ErrorCode::invalid_argument, "tensor '{}': {} bytes of data given, {} wanted", printable(tensor->name),
                data.size(), tensor->bytes);
  }
  tensor->data = std::move(data);
  names_.insert(tensor->name);
  tensors_.push_back(std::move(*tensor));
  return {};
}

Status GgufWriter::add_tensor(GgufTensorSpec spec, Fill fill) {
  auto tensor = checked(std::move(spec));
  if (!tensor) return error_of(tensor);
  tensor->data = std::move(fill);
  names_.insert(tensor->name);
  tensors_.push_back(std::move(*tensor));
  return {};
}

Status GgufWriter::add_streamed(GgufTensorSpec spec, Stream stream) {
  auto tensor = checked(std::move(spec));
  if (!tensor) return error_of(tensor);
  tensor->data = std::move(stream);
  names_.insert(tensor->name);
  tensors_.push_back(std::move(*tensor));
  return {};
}

Result<std::uint64_t> GgufWriter::alignment() const {
  constexpr std::string_view key = "general.alignment";
  const auto pair = std::ranges::find(metadata_, key, [](const auto& p) { return std::string_view(p.first); });
  if (pair == metadata_.end()) return default_alignment;
  const auto* value = std::get_if<std::uint32_t>(&pair->second);
  if (value == nullptr || !is_alignment(*value)) {
    return fail(ErrorCode::invalid_argument, "metadata key '{}' must be a uint32, a power of two from {} to {}", key,
                min_alignment, max_alignment);
  }
  return *value;
}

Result<std::vector<std::byte>> GgufWriter::head(std::uint64_t alignment) const {
  std::vector<std::byte> bytes;
  ByteSink sink(bytes);
  for (const char letter : std::string_view("GGUF")) sink.put(letter);
  sink.put(version_);
  sink.put(static_cast<std::uint64_t>(tensors_.size()));
  sink.put(static_cast<std::uint64_t>(metadata_.size()));
  for (const auto& [key, value] : metadata_) {
    if (auto usable = check_pair(key, value); !usable) return error_of(usable);
    sink.put(std::string_view(key));
    sink.put(static_cast<std::uint32_t>(value.index()));
    std::visit([&](const auto& stored) { sink.put(stored); }, value);
  }
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    sink.put(std::string_view(tensor.name));
    sink.put(static_cast<std::uint32_t>(tensor.dims.size()));
    for (std::size_t i = tensor.dims.size(); i-- > 0;) sink.put(static_cast<std::uint64_t>(tensor.dims[i]));
    sink.put(tensor.type);
    sink.put(offset);
    if (tensor.bytes > std::numeric_limits<std::uint64_t>::max() / 2 - offset) {
      return fail(ErrorCode::invalid_argument, "the tensors have more bytes than a file can");
    }
    offset = round_up(offset + tensor.bytes, alignment);
  }
  return bytes;
}

Status GgufWriter::append_data(FileReplacement& file, const Tensor& tensor) {
  if (const auto* stream = std::get_if<Stream>(&tensor.data)) return append_stream(file, *stream, tensor.bytes);
  if (const auto* data = std::get_if<std::vector<std::byte>>(&tensor.data)) return file.append(*data);
  std::vector<std::byte> made(static_cast<std::size_t>(tensor.bytes));
  if (auto filled = std::get<Fill>(tensor.data)(made); !filled) return filled;
  return file.append(made);
}

Status GgufWriter::write_checked(const std::filesystem::path& path,
                                 std::span<const std::filesystem::path> inputs) const {
  const auto align = alignment();
  if (!align) return error_of(align, printable(path.string(), 400));
  const auto begin = head(*align);
  if (!begin) return error_of(begin, printable(path.string(), 400));
  auto file = FileReplacement::create(path, inputs);
  if (!file) return error_of(file);
  if (auto put = file->append(*begin); !put) return put;
  if (auto put = append_padding(*file, begin->size(), *align); !put) return put;
  for (const Tensor& tensor : tensors_) {
    if (auto put = append_data(*file, tensor); !put) {
      return error_of(put, fmt::format("tensor '{}'", printable(tensor.name)));
    }
    if (auto put = append_padding(*file, tensor.bytes, *align); !put) return put;
  }
  return file->commit();
}

Status GgufWriter::write(const std::filesystem::path& path, std::span<const std::filesystem::path> inputs) const try {
  return write_checked(path, inputs);
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "{}: a tensor doesn't fit in memory", printable(path.string(), 400));
}

}  // namespace weft::models
