// Opens a GGUF file or a set of shards and gives access to what was parsed.
#include "models/io/gguf.hpp"

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <utility>

#include "models/io/file_mapping.hpp"
#include "models/io/gguf_parse.hpp"
#include "models/io/gguf_split.hpp"
#include "models/io/printable.hpp"

namespace weft::models {
namespace {

/// A path in a message may be long, but has to stay one line.
std::string shown(const std::filesystem::path& path) { return printable(path.string(), 400); }

/// One file of the model: its bytes and what they say.
struct Shard {
  FileBytes bytes;
  GgufContents contents;
};

Result<Shard> load_shard(const std::filesystem::path& path, LoadMode mode) {
  auto bytes = FileBytes::load(path, mode);
  if (!bytes) return error_of(bytes, shown(path));
  auto contents = parse_gguf(bytes->bytes());
  if (!contents) return error_of(contents, shown(path));
  return Shard{std::move(*bytes), std::move(*contents)};
}

class OpenGguf final : public GgufFile {
 public:
  OpenGguf(const std::filesystem::path& path, Shard first) : path_(path) {
    version_ = first.contents.version;
    alignment_ = first.contents.alignment;
    metadata_ = std::move(first.contents.metadata);
    stored_ = std::move(first.contents.stored);
    for (std::size_t i = 0; i < metadata_.size(); ++i) keys_.emplace(metadata_[i].first, i);
    add_shard(path, std::move(first));
  }

  /// Takes the shard's tensors over. Call `index_tensors` after the last.
  void add_shard(const std::filesystem::path& path, Shard shard) {
    for (GgufTensor& tensor : shard.contents.tensors) {
      const auto begin = static_cast<std::size_t>(shard.contents.data_begin + tensor.offset);
      // An empty tensor's offset may lie in tail padding that the file leaves out.
      data_.push_back(tensor.bytes == 0 ? std::span<const std::byte>()
                                        : shard.bytes.bytes().subspan(begin, static_cast<std::size_t>(tensor.bytes)));
      tensors_.push_back(std::move(tensor));
    }
    bytes_.push_back(std::move(shard.bytes));
    files_.push_back(path);
  }

  [[nodiscard]] Status index_tensors() {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!names_.emplace(tensors_[i].name, i).second) {
        return fail(ErrorCode::invalid_file, "tensor name '{}' occurs in two of the split files",
                    printable(tensors_[i].name));
      }
    }
    return {};
  }

  [[nodiscard]] const std::filesystem::path& path() const override { return path_; }
  [[nodiscard]] std::span<const std::filesystem::path> files() const override { return files_; }
  [[nodiscard]] std::uint32_t version() const override { return version_; }
  [[nodiscard]] std::uint64_t alignment() const override { return alignment_; }
  [[nodiscard]] std::span<const std::pair<std::string, GgufValue>> metadata() const override { return metadata_; }
  [[nodiscard]] std::span<const GgufTensor> tensors() const override { return tensors_; }

  [[nodiscard]] const GgufValue* find(std::string_view key) const override {
    const auto found = keys_.find(key);
    return found == keys_.end() ? nullptr : &metadata_[found->second].second;
  }
  [[nodiscard]] Result<GgufStoredValue> stored(std::string_view key) const override {
    const auto found = keys_.find(key);
    if (found == keys_.end()) {
      return fail(ErrorCode::invalid_argument, "{}: there is no metadata key '{}'", shown(path_), printable(key));
    }
    ByteReader reader(stored_[found->second]);
    return read_stored_value(reader);
  }
  [[nodiscard]] const GgufTensor* find_tensor(std::string_view name) const override {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &tensors_[found->second];
  }
  [[nodiscard]] std::span<const std::byte> data(const GgufTensor& tensor) const override {
    const auto found = names_.find(tensor.name);
    return found == names_.end() ? std::span<const std::byte>() : data_[found->second];
  }

 private:
  std::filesystem::path path_;
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 0;
  std::vector<std::filesystem::path> files_;
  std::vector<FileBytes> bytes_;  ///< of the files
  std::vector<std::pair<std::string, GgufValue>> metadata_;
  std::vector<std::span<const std::byte>> stored_;  ///< of the pair with the same index
  std::vector<GgufTensor> tensors_;
  std::vector<std::span<const std::byte>> data_;  ///< of the tensor with the same index
  // Views into the two vectors above, which don't change once indexed.
  std::unordered_map<std::string_view, std::size_t> keys_;
  std::unordered_map<std::string_view, std::size_t> names_;
};

tl::unexpected<Error> not_first_shard(const std::filesystem::path& path, const SplitInfo& info) {
  const std::string first = first_shard_name(path).value_or("the first one");
  return fail(ErrorCode::unsupported, "{}: is file {} of {} of a split model; open {} instead", shown(path),
              info.number + 1, info.count, printable(first, 400));
}

Result<Shard> load_later_shard(const std::filesystem::path& path, LoadMode mode, const SplitInfo& expected) {
  auto shard = load_shard(path, mode);
  if (!shard) return shard;
  const auto info = split_info(shard->contents);
  if (!info) return error_of(info, shown(path));
  if (info->number != expected.number || info->count != expected.count) {
    return fail(ErrorCode::invalid_file, "{}: says that it is file {} of {}, its name says {} of {}", shown(path),
                info->number + 1, info->count, expected.number + 1, expected.count);
  }
  return shard;
}

Status add_later_shards(OpenGguf& file, const SplitInfo& first, LoadMode mode) {
  const auto paths = later_shards(file.path(), first.count);
  if (!paths) return error_of(paths, shown(file.path()));
  SplitInfo expected = first;
  for (const std::filesystem::path& path : *paths) {
    ++expected.number;
    auto shard = load_later_shard(path, mode, expected);
    if (!shard) return error_of(shard);
    file.add_shard(path, std::move(*shard));
  }
  if (first.tensors_in_all && *first.tensors_in_all != std::ssize(file.tensors())) {
    return fail(ErrorCode::invalid_file, "{}: metadata key 'split.tensors.count' is {}, but its {} files hold {}",
                shown(file.path()), *first.tensors_in_all, first.count, file.tensors().size());
  }
  return {};
}

Result<std::shared_ptr<const GgufFile>> open_all(const std::filesystem::path& path, LoadMode mode) {
  auto first = load_shard(path, mode);
  if (!first) return error_of(first);
  const auto split = split_info(first->contents);
  if (!split) return error_of(split, shown(path));
  if (split->number != 0) return not_first_shard(path, *split);
  auto file = std::make_shared<OpenGguf>(path, std::move(*first));
  if (split->count > 1) {
    if (auto added = add_later_shards(*file, *split, mode); !added) return error_of(added);
  }
  if (auto indexed = file->index_tensors(); !indexed) return error_of(indexed, shown(path));
  return std::shared_ptr<const GgufFile>(std::move(file));
}

}  // namespace

Result<std::shared_ptr<const GgufFile>> GgufFile::open(const std::filesystem::path& path, LoadMode mode) try {
  return open_all(path, mode);
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "{}: its metadata doesn't fit in memory", shown(path));
}

}  // namespace weft::models
