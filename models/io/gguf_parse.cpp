// Header and metadata of a GGUF file.
#include "models/io/gguf_parse.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>

#include "models/io/gguf_values.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

constexpr std::uint64_t header_bytes = 24;
constexpr std::uint64_t min_pair_bytes = 8 + 1 + 4 + 1;    // key length, key, type, value
constexpr std::uint64_t min_record_bytes = 8 + 4 + 4 + 8;  // name length, dimension count, type, offset
constexpr std::string_view alignment_key = "general.alignment";

struct Header {
  std::uint32_t version = 0;
  std::uint64_t tensors = 0;
  std::uint64_t pairs = 0;
};

Status check_version(std::uint32_t version) {
  if (version == 2 || version == 3) return {};
  if ((version & 0xFFFF) == 0 && version != 0) {
    return fail(ErrorCode::unsupported, "is a big-endian GGUF file; convert it to little-endian");
  }
  if (version == 1) return fail(ErrorCode::unsupported, "is GGUF version 1; re-convert the model to version 3");
  return fail(ErrorCode::invalid_file, "GGUF version is {}, 2 or 3 wanted", version);
}

Status check_counts(const Header& header, std::uint64_t left) {
  if (header.tensors > left / min_record_bytes) {
    return fail(ErrorCode::invalid_file, "tensor count is {}, but the file's {} bytes hold {} records at most",
                header.tensors, left + header_bytes, left / min_record_bytes);
  }
  if (header.pairs > left / min_pair_bytes) {
    return fail(ErrorCode::invalid_file, "metadata count is {}, but the file's {} bytes hold {} pairs at most",
                header.pairs, left + header_bytes, left / min_pair_bytes);
  }
  return {};
}

Result<Header> read_header(ByteReader& reader) {
  if (reader.remaining() < header_bytes) {
    return fail(ErrorCode::invalid_file, "has {} bytes, a GGUF file has {} at least", reader.remaining(), header_bytes);
  }
  constexpr std::array magic{std::byte{'G'}, std::byte{'G'}, std::byte{'U'}, std::byte{'F'}};
  if (*reader.read<std::array<std::byte, 4>>() != magic) {
    return fail(ErrorCode::invalid_file, "doesn't begin with GGUF; it is no GGUF file");
  }
  Header header;
  header.version = *reader.read<std::uint32_t>();
  if (auto known = check_version(header.version); !known) return error_of(known);
  header.tensors = *reader.read<std::uint64_t>();
  header.pairs = *reader.read<std::uint64_t>();
  if (auto fit = check_counts(header, reader.remaining()); !fit) return error_of(fit);
  return header;
}

Result<std::string_view> read_key(ByteReader& reader) {
  const auto key = reader.read_string();
  if (!key) return error_of(key, "key");
  if (key->empty()) return fail(ErrorCode::invalid_file, "the key is empty");
  if (key->size() > max_key) {
    return fail(ErrorCode::invalid_file, "the key has {} bytes, {} at most wanted", key->size(), max_key);
  }
  if (key->find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_file, "the key '{}' contains a NUL byte", printable(*key));
  }
  return key;
}

Result<GgufValue> read_typed_value(ByteReader& reader, std::string_view key) {
  const auto id = reader.read<std::uint32_t>();
  if (!id) return error_of(id, "value type");
  const auto type = static_cast<GgufType>(*id);
  if (key == alignment_key && type != GgufType::u32) {
    return fail(ErrorCode::invalid_file, "has type {} ({}), uint32 wanted", *id, name_of(type));
  }
  return read_value(reader, type);
}

Status read_metadata(ByteReader& reader, std::span<const std::byte> file, std::uint64_t count, GgufContents& contents) {
  std::unordered_set<std::string_view> seen;  // views into the file, which doesn't move
  contents.metadata.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto key = read_key(reader);
    if (!key) return error_of(key, fmt::format("metadata pair {} of {}", i + 1, count));
    if (!seen.insert(*key).second) {
      return fail(ErrorCode::invalid_file, "metadata key '{}' occurs twice", printable(*key));
    }
    const auto begin = static_cast<std::size_t>(reader.position());
    auto value = read_typed_value(reader, *key);
    if (!value) return error_of(value, fmt::format("metadata key '{}'", printable(*key)));
    if (*key == alignment_key) {
      // The type was checked to be uint32, so the value is a non-negative int64.
      contents.alignment = static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
    }
    contents.metadata.emplace_back(*key, std::move(*value));
    contents.stored.push_back(file.subspan(begin, static_cast<std::size_t>(reader.position()) - begin));
  }
  if (!is_alignment(contents.alignment)) {
    return fail(ErrorCode::invalid_file, "metadata key '{}' is {}, a power of two from {} to {} wanted", alignment_key,
                contents.alignment, min_alignment, max_alignment);
  }
  return {};
}

}  // namespace

Result<GgufContents> parse_gguf(std::span<const std::byte> file) {
  ByteReader reader(file);
  const auto header = read_header(reader);
  if (!header) return error_of(header);
  GgufContents contents;
  contents.version = header->version;
  if (auto read = read_metadata(reader, file, header->pairs, contents); !read) return error_of(read);
  auto tensors = read_tensor_records(reader, header->tensors, contents.alignment);
  if (!tensors) return error_of(tensors);
  contents.tensors = std::move(*tensors);
  // A file without data may end before the padding. The position is at most the file's size: no wrap in round_up.
  contents.data_begin = std::min<std::uint64_t>(round_up(reader.position(), contents.alignment), file.size());
  if (auto fits = check_layout(contents.tensors, file.size() - contents.data_begin, contents.alignment); !fits) {
    return error_of(fits);
  }
  return contents;
}

}  // namespace weft::models
