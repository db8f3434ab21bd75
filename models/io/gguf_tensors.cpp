// Tensor records of a GGUF file: shapes, types, sizes, and where the data lies.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "models/io/ggml_types.hpp"
#include "models/io/gguf_parse.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

constexpr auto max_u64 = std::numeric_limits<std::uint64_t>::max();
constexpr auto max_i64 = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b, std::uint64_t limit) {
  if (b != 0 && a > limit / b) return std::nullopt;
  return a * b;
}

std::string shape_text(std::span<const std::int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

Result<const GgmlType*> usable_type(std::uint32_t id) {
  const GgmlType* type = find_ggml_type(id);
  if (type == nullptr) {
    return fail(ErrorCode::invalid_file, "type id is {}, which is unknown; the file is damaged or newer than this weft",
                id);
  }
  if (type->removed()) {
    return fail(ErrorCode::unsupported, "type id is {} ({}), a removed type, re-convert the model", id, type->name);
  }
  return type;
}

/// Dimensions as stored, innermost first, turned to outermost first.
Result<std::vector<std::int64_t>> read_dims(ByteReader& reader) {
  const auto count = reader.read<std::uint32_t>();
  if (!count) return error_of(count, "dimension count");
  if (*count > max_dimensions) {
    return fail(ErrorCode::invalid_file, "has {} dimensions, {} at most wanted", *count, max_dimensions);
  }
  std::vector<std::int64_t> dims(*count);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto dim = reader.read<std::uint64_t>();
    if (!dim) return error_of(dim, "dimensions");
    if (*dim > max_i64) return fail(ErrorCode::invalid_file, "dimension {} is {}, {} at most wanted", i, *dim, max_i64);
    dims[dims.size() - 1 - i] = static_cast<std::int64_t>(*dim);
  }
  return dims;
}

Status read_record_body(ByteReader& reader, std::uint64_t alignment, GgufTensor& tensor) {
  auto dims = read_dims(reader);
  if (!dims) return error_of(dims);
  tensor.dims = std::move(*dims);
  const auto type_id = reader.read<std::uint32_t>();
  if (!type_id) return error_of(type_id, "type");
  const auto bytes = tensor_bytes(*type_id, tensor.dims);
  if (!bytes) return error_of(bytes);
  const GgmlType& type = *find_ggml_type(*type_id);
  tensor.ggml_type = type.id;
  tensor.type_name = type.name;
  tensor.dtype = type.dtype;
  tensor.bytes = *bytes;
  const auto offset = reader.read<std::uint64_t>();
  if (!offset) return error_of(offset, "offset");
  if (*offset % alignment != 0) {
    return fail(ErrorCode::invalid_file, "offset is {}, a multiple of the alignment {} wanted", *offset, alignment);
  }
  tensor.offset = *offset;
  return {};
}

Result<std::string_view> read_name(ByteReader& reader) {
  const auto name = reader.read_string();
  if (!name) return error_of(name, "name");
  if (name->size() > max_tensor_name) {
    return fail(ErrorCode::invalid_file, "the name '{}' has {} bytes, {} at most wanted", printable(*name),
                name->size(), max_tensor_name);
  }
  if (name->find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_file, "the name '{}' contains a NUL byte", printable(*name));
  }
  return name;
}

Status check_extent(const GgufTensor& tensor, std::uint64_t data_bytes, std::uint64_t alignment) {
  // An empty tensor after the last data may lie at the end of tail padding that the file leaves out.
  if (tensor.bytes == 0 && tensor.offset <= round_up(data_bytes, alignment)) return {};
  const std::uint64_t left = tensor.offset < data_bytes ? data_bytes - tensor.offset : 0;
  if (tensor.bytes != 0 && tensor.bytes <= left) return {};
  return fail(ErrorCode::invalid_file,
              "tensor '{}': {} bytes wanted at offset {}, but {} are left of the {} bytes of data; the file is cut "
              "short or damaged",
              printable(tensor.name), tensor.bytes, tensor.offset, left, data_bytes);
}

}  // namespace

Result<std::uint64_t> tensor_bytes(std::uint32_t ggml_type, std::span<const std::int64_t> dims) {
  const auto type = usable_type(ggml_type);
  if (!type) return error_of(type);
  const std::uint64_t block = (*type)->block_elements;
  const std::uint64_t row = dims.empty() ? 1 : static_cast<std::uint64_t>(dims.back());
  if (row % block != 0) {
    return fail(ErrorCode::invalid_file, "rows of shape {} have {} elements, a multiple of {} wanted for {}",
                shape_text(dims), row, block, (*type)->name);
  }
  // A zero dimension counts as one here, so that it can't hide the overflow of the others.
  std::uint64_t elements = 1;
  for (const std::int64_t dim : dims) {
    const auto next = product(elements, static_cast<std::uint64_t>(std::max<std::int64_t>(dim, 1)), max_i64);
    if (!next) {
      return fail(ErrorCode::invalid_file, "shape {} has more elements than {}", shape_text(dims), max_i64);
    }
    elements = *next;
  }
  const auto bytes = product((elements + block - 1) / block, (*type)->block_bytes, max_u64);
  if (!bytes) return fail(ErrorCode::invalid_file, "shape {} has more bytes than {}", shape_text(dims), max_u64);
  return std::ranges::find(dims, 0) != dims.end() ? 0 : *bytes;
}

Result<std::vector<GgufTensor>> read_tensor_records(ByteReader& reader, std::uint64_t count, std::uint64_t alignment) {
  std::unordered_set<std::string_view> seen;  // views into the file, which doesn't move
  std::vector<GgufTensor> tensors;
  tensors.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = read_name(reader);
    if (!name) return error_of(name, fmt::format("tensor record {} of {}", i + 1, count));
    GgufTensor tensor;
    tensor.name = std::string(*name);
    if (!seen.insert(*name).second) {
      return fail(ErrorCode::invalid_file, "tensor name '{}' occurs twice", printable(*name));
    }
    if (auto body = read_record_body(reader, alignment, tensor); !body) {
      return error_of(body, fmt::format("tensor '{}'", printable(*name)));
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Status check_layout(std::span<const GgufTensor> tensors, std::uint64_t data_bytes, std::uint64_t alignment) {
  std::vector<const GgufTensor*> by_offset;
  by_offset.reserve(tensors.size());
  for (const GgufTensor& tensor : tensors) {
    if (auto inside = check_extent(tensor, data_bytes, alignment); !inside) return inside;
    if (tensor.bytes > 0) by_offset.push_back(&tensor);
  }
  std::ranges::sort(by_offset, {}, [](const GgufTensor* t) { return t->offset; });
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const GgufTensor& before = *by_offset[i - 1];
    const GgufTensor& after = *by_offset[i];
    if (after.offset < before.offset + before.bytes) {
      return fail(ErrorCode::invalid_file, "tensors '{}' (offset {}, {} bytes) and '{}' (offset {}) overlap",
                  printable(before.name), before.offset, before.bytes, printable(after.name), after.offset);
    }
  }
  return {};
}

}  // namespace weft::models
